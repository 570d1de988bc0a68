import { ManagerError } from '../../errors.js'
import { specOf } from '../application/instance-spec.js'
import type { Step, StepRun } from '../context.js'
import { waitForHealth } from '../runtime/health.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import type { InstanceSpec } from '../runtime/runtime.js'
import { causeInLog } from './bring-up.js'
import { existing } from './existing.js'

export interface RollOptions {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
  /** How long each task must stay healthy, in ms. Default: one healthy answer is enough. */
  readonly windowMs?: number
}

/**
 * Replaces the tasks of an instance that has several, one after the other, by those of its application and settings of
 * now; the runtime puts the former ones back when a new one fails.
 */
export function rollStep({ instance, folder, windowMs = 0 }: RollOptions): Step {
  return {
    id: 'roll',
    title: `Replace its tasks one after the other${windowMs > 0 ? ` and watch each for ${windowMs / 1000} s` : ''}`,
    async do(run) {
      const { context, operation: id, signal } = run
      const runtime = context.runtimes.of(instance)
      const spec = await specOf(context, existing(context.registry, instance))
      await runtime.define(spec)
      const timeoutMs = patience(run, spec, windowMs)
      const rolled = await runtime.roll?.(spec, { id, windowMs, timeoutMs, signal })
      if (rolled?.state === 'rolled-back')
        throw new ManagerError(
          'ERR_HEALTH',
          `The swarm put the former tasks of "${instance.name}" back: ${rolled.message}.`,
          {
            help: 'See its log for details.',
            command: `logs ${instance.name}`,
            output: await causeInLog(runtime, spec),
          },
        )
      const place = { port: spec.port, owner: ownerOfPort(context.runtimes, spec) }
      const { ok, reason } = await waitForHealth(place, { timeoutMs: 10_000, signal })
      if (!ok)
        throw new ManagerError('ERR_HEALTH', `"${instance.name}" is not healthy after the change (${reason}).`, {
          help: 'See its log for details.',
          command: `logs ${instance.name}`,
        })
    },
    async undo(run) {
      const { context, operation: id } = run
      const spec = await specOf(context, existing(context.registry, instance))
      await context.runtimes
        .of(instance)
        .unroll?.({ id: instance.id, folder }, { id, timeoutMs: patience(run, spec, 0) })
    },
    check: () => 'not-done',
  }
}

/** Each task may take its time to start, to be watched, and to end. */
function patience({ context }: StepRun, { swarm }: InstanceSpec, windowMs: number): number {
  const { startTimeoutMs, stopTimeoutMs } = context.settings.global
  return (swarm?.replicas ?? 1) * (startTimeoutMs + windowMs + stopTimeoutMs)
}
