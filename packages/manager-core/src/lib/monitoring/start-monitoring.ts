import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagerContext } from '../context.js'
import { Meter } from './measure.js'
import { monitoredInstances } from './monitored.js'
import { createSampleStore } from './sample-store.js'

export interface MonitoringOptions {
  readonly context: ManagerContext
  /** Told what went wrong with the monitoring itself, without secrets; it goes on. */
  readonly onProblem: (message: string) => void
}

export interface Monitoring {
  /** Resolves when nothing of it is left. */
  close(): Promise<void>
}

/** How long to wait for settings that cannot be read, or for another server of the home to end, in ms. */
const retryMs = 10_000

/**
 * Measures started instances again and again, as APPS_MONITORINTERVAL says. Of several servers of one home one does; another
 * one takes over when it ends.
 */
export function startMonitoring({ context, onProblem }: MonitoringOptions): Monitoring {
  const ended = new AbortController()
  const { signal } = ended
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const lock = context.locks.tryAcquire(['monitoring'], `monitoring, process ${process.pid}`)
      if (!lock) {
        await pause(retryMs)
        continue
      }
      try {
        await measureOn()
      } catch (error) {
        if (!signal.aborted) onProblem((error as Error).message)
      } finally {
        lock.release()
      }
      await pause(retryMs)
    }
  }

  async function measureOn(): Promise<void> {
    const meter = new Meter(context)
    const store = createSampleStore(context.registry)
    while (!signal.aborted) {
      const begin = performance.now()
      const { intervalMs } = context.settings.global.monitoring
      if (intervalMs > 0) {
        const before = monitoredInstances(context)
        const samples = await meter.measure(before, signal)
        if (signal.aborted) return
        const still = new Set(monitoredInstances(context).map(({ id }) => id))
        store.add(samples.filter(({ instanceId }) => still.has(instanceId)))
      }
      await pause(intervalMs === 0 ? retryMs : Math.max(0, intervalMs - (performance.now() - begin)))
    }
  }

  const done = run().catch((error: unknown) => onProblem((error as Error).message))
  return {
    async close() {
      ended.abort()
      await done
    },
  }
}
