import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { callMonitoringHook } from '../hooks/monitoring-hook.js'
import { checkHealth } from '../runtime/health.js'
import { healthPlace } from './health-place.js'

export interface MonitorOptions {
  readonly intervalSeconds: number
  /** End after that many checks. Default: never. */
  readonly count?: number | undefined
  /** An answer that takes longer is a warning. */
  readonly slowMs: number
  readonly signal: AbortSignal
}

/** No check is made. */
const quiet = { ok: true, reason: undefined, responseTime: 0 } as const

/**
 * Calls the health check again and again, a line each. On each error or warning, and once when all is well again, the
 * hook `monitoring.sh` is called with the instance's name and the reason. Source: docs/spec/instances-manager.md,
 * "Command line" and "Events".
 */
export async function* monitor(
  context: ManagerContext,
  instance: Instance,
  { intervalSeconds, count = Infinity, slowMs, signal }: MonitorOptions,
): AsyncGenerator<string> {
  const place = healthPlace(context, instance)
  let wasWell = true
  for (let turn = 1; ; turn++) {
    // A check does not wake it.
    const now = context.registry.byId(instance.id)
    const isAsleep = now?.observed === 'asleep'
    // That nothing answers is what was wanted.
    const isStopped = now?.desired === 'stopped'
    const { ok, reason, responseTime } = isAsleep || isStopped ? quiet : await checkHealth(place, { slowMs })
    const time = context.clock().toISOString()
    const outcome = isStopped
      ? 'STOPPED'
      : isAsleep
        ? 'ASLEEP'
        : ok && reason === undefined
          ? 'OK'
          : `${ok ? 'WARNING' : 'ERROR'} ${reason}`
    yield `${time} ${instance.name} ${outcome} ${Math.round(responseTime)} ms`

    const told = reason ?? (wasWell || isStopped ? undefined : 'recovered')
    if (!isStopped) wasWell = reason === undefined
    if (told !== undefined) {
      const problem = await callMonitoringHook(context, { name: instance.name, reason: told, signal })
      if (problem !== undefined) yield `${time} ${instance.name} ${problem}`
    }
    if (turn >= count || signal.aborted) return
    try {
      await sleep(intervalSeconds * 1000, undefined, { signal })
    } catch {
      return
    }
  }
}
