import pLimit from 'p-limit'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { folderSize } from '../instances/folder-size.js'
import { checkHealth } from '../instances/health.js'
import type { ProcessInfo } from '../runtime/runtime.js'
import type { Sample } from './sample.js'

/** How many instances are asked at the same time. */
const atOnce = 32
/** How long the size of a folder counts. */
const diskMs = 3_600_000
/** How much longer than `slow` an answer may take until it is none, in ms. */
const patienceMs = 5000

/** Measures instances; it remembers of each what the next measurement needs. */
export class Meter {
  readonly #context: Pick<ManagerContext, 'runtime' | 'home' | 'settings' | 'clock'>
  readonly #usage = new Map<string, Usage>()
  readonly #disk = new Map<string, { readonly measured: number; readonly mb: number | null }>()
  readonly #diskLimit = pLimit(1)

  constructor(context: Pick<ManagerContext, 'runtime' | 'home' | 'settings' | 'clock'>) {
    this.#context = context
  }

  /** A sample of each, whatever state it is in. */
  async measure(instances: readonly Instance[], signal?: AbortSignal): Promise<readonly Sample[]> {
    const limit = pLimit(atOnce)
    const ids = new Set(instances.map(({ id }) => id))
    for (const known of [this.#usage, this.#disk]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    return Promise.all(instances.map((instance) => limit(() => this.#measureOne(instance, signal))))
  }

  async #measureOne({ id, port }: Instance, signal?: AbortSignal): Promise<Sample> {
    const { clock, settings, home } = this.#context
    const { slowMs } = settings.global.monitoring
    const { folder } = home.instance(id)
    const at = clock().getTime()
    const {
      ok,
      reason = '',
      responseTime,
    } = await checkHealth(port, { slowMs, timeoutMs: slowMs + patienceMs, signal })
    return {
      instanceId: id,
      at,
      ok,
      reason,
      responseMs: responseTime,
      ...(await this.#load(id, folder)),
      diskMb: this.#diskOf(id, folder),
    }
  }

  async #load(id: string, folder: string): Promise<Pick<Sample, 'memoryMb' | 'cpuPercent'>> {
    const processes = await this.#context.runtime.processes({ id, folder }).catch(() => [])
    if (processes.length === 0) {
      this.#usage.delete(id)
      return { memoryMb: null, cpuPercent: null }
    }
    const before = this.#usage.get(id)
    const now: Usage = {
      taken: performance.now(),
      seconds: new Map(processes.map((one) => [keyOf(one), one.cpuSeconds])),
    }
    this.#usage.set(id, now)
    return {
      memoryMb: processes.reduce((sum, { memoryMb }) => sum + memoryMb, 0),
      cpuPercent: before ? percentBetween(before, now) : null,
    }
  }

  /** As it was found last; it is looked at again in the background, one folder after the other. */
  #diskOf(id: string, folder: string): number | null {
    const known = this.#disk.get(id)
    if (!known || performance.now() - known.measured > diskMs) {
      this.#disk.set(id, { measured: performance.now(), mb: known?.mb ?? null })
      void this.#diskLimit(async () => {
        const bytes = await folderSize(folder).catch(() => undefined)
        if (bytes !== undefined) this.#disk.set(id, { measured: performance.now(), mb: bytes / 1_048_576 })
      })
    }
    return known?.mb ?? null
  }
}

/** CPU seconds by process. */
interface Usage {
  /** Of `performance.now()`. */
  readonly taken: number
  readonly seconds: ReadonlyMap<string, number>
}

/** Pids are used again. */
function keyOf({ pid, started }: ProcessInfo): string {
  return `${pid} ${started}`
}

/** A process that was not there before has used all its time since. */
function percentBetween(before: Usage, now: Usage): number | null {
  const seconds = (now.taken - before.taken) / 1000
  if (seconds <= 0) return null
  let used = 0
  for (const [key, total] of now.seconds) used += Math.max(0, total - (before.seconds.get(key) ?? 0))
  return (used / seconds) * 100
}
