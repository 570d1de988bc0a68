import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagerContext } from '../context.js'
import type { Sample } from '../domain/sample.js'
import { believedTime } from '../history/believed-time.js'
import { createIncidentStore } from '../store/incident-store.js'
import { instancesOfEnded } from '../store/operation-rows.js'
import { createSampleStore } from '../store/sample-store.js'
import { createProblemTeller } from './tell-problems.js'
import { LoadMeter } from './measure.js'
import { busyInstances, wantedInstances } from './monitored.js'
import { Watch, type WatchOptions } from './watch.js'

export interface MonitoringOptions extends WatchOptions {
  /** Between checks. Default: APPS_MONITORINTERVAL. */
  readonly intervalMs?: number
  /** How soon after the first failures the next checks are made, so that what fails together is reported together. Default 10,000. */
  readonly gatherMs?: number
  /** How often another server of the home, and settings that could not be read, are looked at again. Default 10,000. */
  readonly retryMs?: number
}

export interface Monitoring {
  /** Resolves when nothing of it is left. */
  close(): Promise<void>
}

const hourMs = 3_600_000
const dayMs = 86_400_000

/**
 * Measures started instances again and again, as APPS_MONITORINTERVAL says, and notifies people of changes. Of several
 * servers of one home one does; another one takes over when it ends.
 */
export function startMonitoring(options: MonitoringOptions): Monitoring {
  const { context, retryMs = 10_000 } = options
  const ended = new AbortController()
  const { signal } = ended
  const onProblem = once(options.onProblem)
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  async function run(): Promise<void> {
    for (; !signal.aborted; await pause(retryMs)) {
      try {
        const lock = context.locks.tryAcquire(['monitoring'], `monitoring, process ${process.pid}`)
        if (!lock) continue
        try {
          await measureOn({ ...options, onProblem }, signal)
        } finally {
          lock.release()
        }
      } catch (error) {
        if (!signal.aborted) onProblem((error as Error).message)
      }
    }
  }

  const done = run()
  return {
    async close() {
      ended.abort()
      await done
    },
  }
}

/** Until the signal. What goes wrong in one round is reported, and the next one comes. */
async function measureOn(options: MonitoringOptions, signal: AbortSignal): Promise<void> {
  const { context, onProblem, gatherMs = 10_000, retryMs = 10_000 } = options
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined)
  const meter = new LoadMeter(context)
  const watch = new Watch({ ...options, onProblem })
  const tellProblems = createProblemTeller(context, onProblem)
  let pruned = -Infinity
  try {
    while (!signal.aborted) {
      const begin = performance.now()
      let next = retryMs
      try {
        await tellProblems()
        const { keepDays, ...set } = context.settings.global.monitoring
        const intervalMs = options.intervalMs ?? set.intervalMs
        if (intervalMs > 0) {
          const isAwaited = await measureOnce(options, { meter, watch, signal })
          next = isAwaited ? Math.min(gatherMs, intervalMs) : intervalMs
        }
        if (begin - pruned > hourMs) {
          pruned = begin
          prune(context, keepDays)
        }
      } catch (error) {
        if (!signal.aborted) onProblem((error as Error).message)
      }
      // Settings that change meanwhile hold at once.
      const before = intervalOf(context)
      const left = () => next - (performance.now() - begin)
      while (!signal.aborted && left() > 0 && intervalOf(context) === before) await pause(Math.min(left(), lookMs))
    }
  } finally {
    await watch.close()
  }
}

/** How soon another interval is noticed, in ms. */
const lookMs = 1000

/** Undefined: the settings cannot be read now. */
function intervalOf({ settings }: Pick<ManagerContext, 'settings'>): number | undefined {
  try {
    return settings.global.monitoring.intervalMs
  } catch {
    return undefined
  }
}

interface Round {
  readonly meter: LoadMeter
  readonly watch: Watch
  readonly signal: AbortSignal
}

/** @returns whether a notice waits for the next round */
async function measureOnce(
  { context, onProblem }: MonitoringOptions,
  { meter, watch, signal }: Round,
): Promise<boolean> {
  const begin = context.clock()
  const busyBefore = busyInstances(context)
  const samples = await meter.measure(
    wantedInstances(context).filter(({ id }) => !busyBefore.has(id)),
    signal,
  )
  if (signal.aborted) return false
  // What was started or ended meanwhile may have been in the way.
  const wanted = wantedInstances(context)
  const names = new Map(wanted.map(({ id, name }) => [id, name]))
  const isBad = ({ reason }: Sample) => reason !== ''
  const busy = samples.some(isBad)
    ? new Set([...busyInstances(context), ...instancesOfEnded(context.registry, begin)])
    : undefined
  const kept = samples.filter((one) => names.has(one.instanceId) && !(isBad(one) && busy?.has(one.instanceId)))
  try {
    createSampleStore(context.registry).add(kept)
  } catch (error) {
    onProblem(`Measurements could not be stored: ${(error as Error).message}`)
  }
  return watch.after(kept, names)
}

function prune(context: ManagerContext, keepDays: number): void {
  const { registry } = context
  const now = believedTime(context).getTime()
  const before = now - keepDays * dayMs
  const samples = createSampleStore(registry)
  samples.prune(before)
  // What was left in full because no server ran for longer is little, and goes with its time.
  samples.thin(now - 4 * dayMs, now - 2 * dayMs)
  createIncidentStore(registry).prune(new Date(before).toISOString())
}

/** A recurring problem is reported once an hour. */
function once(tell: (message: string) => void): (message: string) => void {
  const told = new Map<string, number>()
  return (message) => {
    const now = performance.now()
    for (const [text, at] of told) if (now - at > hourMs) told.delete(text)
    if (told.has(message)) return
    told.set(message, now)
    tell(message)
  }
}
