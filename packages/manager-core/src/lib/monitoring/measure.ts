import pLimit from 'p-limit'
import { healthPlace } from '../application/health-place.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { Sample } from '../domain/sample.js'
import { folderSize } from '../files/folder-size.js'
import { checkHealth } from '../runtime/health.js'
import { refOf } from '../runtime/instance-ref.js'
import type { Usage } from '../runtime/runtime.js'

/** How many instances are asked at the same time. */
const atOnce = 100
/** How long the size of a folder counts. */
const diskMs = 3_600_000
/** How much longer than `slow` an answer may take until it is none, in ms. */
const patienceMs = 5000

/** Measures instances; it remembers of each what the next measurement needs. */
export class LoadMeter {
  readonly #context: Pick<ManagerContext, 'runtimes' | 'home' | 'settings' | 'clock'>
  #before: { readonly taken: number; readonly usage: ReadonlyMap<string, Usage> } | undefined
  readonly #disk = new Map<string, { readonly measured: number; readonly mb: number | null }>()
  readonly #diskLimit = pLimit(1)

  constructor(context: Pick<ManagerContext, 'runtimes' | 'home' | 'settings' | 'clock'>) {
    this.#context = context
  }

  /** A sample of each, whatever state it is in. */
  async measure(instances: readonly Instance[], signal?: AbortSignal): Promise<readonly Sample[]> {
    const { settings, runtimes, clock } = this.#context
    const { slowMs } = settings.global.monitoring
    const limit = pLimit(atOnce)
    this.#forget(new Set(instances.map(({ id }) => id)))
    const refs = instances.map((instance) => refOf(this.#context, instance))
    const loads = this.#loads(await runtimes.usageAll(refs))
    return Promise.all(
      instances.map((instance) =>
        limit(async () => {
          const { id } = instance
          const at = clock().getTime()
          const health = await checkHealth(healthPlace(this.#context, instance), {
            slowMs,
            timeoutMs: slowMs + patienceMs,
            signal,
          })
          const { ok, reason = '', responseTime } = health
          const load = loads.get(id) ?? { memoryMb: null, cpuPercent: null }
          return { instanceId: id, at, ok, reason, responseMs: responseTime, ...load, diskMb: this.#diskOf(id) }
        }),
      ),
    )
  }

  #forget(others: ReadonlySet<string>): void {
    for (const id of this.#disk.keys()) if (!others.has(id)) this.#disk.delete(id)
  }

  #loads(usage: ReadonlyMap<string, Usage>): ReadonlyMap<string, Load> {
    const before = this.#before
    this.#before = { taken: performance.now(), usage }
    const seconds = before ? (this.#before.taken - before.taken) / 1000 : 0
    return new Map(
      [...usage].map(([id, { memoryMb, cpuSeconds }]) => {
        const known = before?.usage.get(id)
        return [
          id,
          { memoryMb, cpuPercent: known && seconds > 0 ? percent(known.cpuSeconds, cpuSeconds, seconds) : null },
        ]
      }),
    )
  }

  /** As it was found last; it is looked at again in the background, one folder after the other. */
  #diskOf(id: string): number | null {
    const known = this.#disk.get(id)
    if (!known || performance.now() - known.measured > diskMs) {
      this.#disk.set(id, { measured: performance.now(), mb: known?.mb ?? null })
      void this.#diskLimit(async () => {
        const bytes = await folderSize(this.#context.home.instance(id).folder).catch(() => undefined)
        if (bytes !== undefined) this.#disk.set(id, { measured: performance.now(), mb: bytes / 1_048_576 })
      })
    }
    return known?.mb ?? null
  }
}

type Load = Pick<Sample, 'memoryMb' | 'cpuPercent'>

/** A process that was not there before has used all its time since. */
function percent(before: Usage['cpuSeconds'], now: Usage['cpuSeconds'], seconds: number): number {
  let used = 0
  for (const [key, total] of now) used += Math.max(0, total - (before.get(key) ?? 0))
  return (used / seconds) * 100
}
