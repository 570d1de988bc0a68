import { specOf } from '../application/instance-spec.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { isRunning, type Observed } from '../domain/instance.js'
import type { InstanceRef } from '../runtime/runtime.js'
import { pinServerIn } from '../servers/application-server.js'
import { bringUp } from './bring-up.js'
import { checkDataThere, noteData } from './data-there.js'
import { existing } from './existing.js'

/** Which instance; `folder` is its home when the step runs. */
export interface RuntimeStepOptions {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
}

export interface StartStepOptions extends RuntimeStepOptions {
  /** Start only when the `stop` step of this id found it running. */
  readonly stopStepId?: string
  /** How long it must stay healthy, in ms. Default: one healthy answer is enough. */
  readonly windowMs?: number
  readonly debug?: boolean
}

/**
 * Stops it when it runs; undo starts it again when it ran, or lets it sleep when it slept (its intent says so). One that
 * sleeps counts as running: only a start shows that what was done to it is good. Sets `observed`.
 */
export function stopStep({ instance, folder, force }: RuntimeStepOptions & { readonly force?: boolean }): Step {
  const ref = { id: instance.id, folder }
  return {
    id: 'stop',
    title: force ? 'Stop the instance by force' : 'Stop the instance',
    async intent({ context }) {
      const isRecorded = context.registry.byId(ref.id)?.observed === 'asleep'
      const runs = isRunning((await context.runtimes.of(ref).observe(ref)).state)
      return { wasRunning: runs || isRecorded, asleep: isRecorded && !runs }
    },
    async do({ context, intent }) {
      await stopNow(context, ref, force)
      return { wasRunning: (intent as { wasRunning?: boolean }).wasRunning === true }
    },
    async undo(run) {
      // Journals of older managers do not say whether it slept.
      const { wasRunning, asleep } = run.intent as { readonly wasRunning?: boolean; readonly asleep?: boolean }
      if (asleep === true) return observe(run.context, ref, 'asleep')
      if (wasRunning === true) await startNow(run, { instance, folder })
    },
    async check({ context }) {
      const isRecorded = context.registry.byId(instance.id)?.observed === 'stopped'
      return isRecorded && !isRunning((await context.runtimes.of(ref).observe(ref)).state) ? 'done' : 'not-done'
    },
  }
}

/**
 * Stops it until a request comes. That it sleeps is recorded first: a request that finds it stopped wakes it from then on.
 */
export function sleepStep({ instance, folder }: RuntimeStepOptions): Step {
  const ref = { id: instance.id, folder }
  return {
    id: 'stop',
    title: 'Stop the instance until the next request',
    async do({ context }) {
      const { runtimes, settings } = context
      observe(context, ref, 'asleep')
      await runtimes.of(ref).stop(ref, { graceMs: settings.global.stopTimeoutMs })
    },
    async check({ context }) {
      const isRecorded = context.registry.byId(ref.id)?.observed === 'asleep'
      return isRecorded && !isRunning((await context.runtimes.of(ref).observe(ref)).state) ? 'done' : 'not-done'
    },
  }
}

/** Records what it is. */
function observe(
  { registry }: Pick<ManagerContext, 'registry'>,
  { id }: { readonly id: string },
  observed: Observed,
): void {
  registry.transaction((writer) => writer.updateInstance(id, { observed }))
}

/** Whether it has processes, or would after a request. */
export async function runsOrSleeps(
  { runtimes, registry }: Pick<ManagerContext, 'runtimes' | 'registry'>,
  ref: InstanceRef,
): Promise<boolean> {
  if (registry.byId(ref.id)?.observed === 'asleep') return true
  return isRunning((await runtimes.of(ref).observe(ref)).state)
}

/**
 * The same where nothing but its processes is changed: when undo cannot start what does not start any more, it stays
 * stopped, and a warning says so.
 */
export function stopToStartStep({ instance, folder }: RuntimeStepOptions): Step {
  const step = stopStep({ instance, folder })
  return {
    ...step,
    async undo(run) {
      try {
        await step.undo?.(run)
      } catch {
        // Why is what the operation failed with.
        await stopNow(run.context, { id: instance.id, folder })
        run.warn(`"${instance.name}" is now stopped, because it could not be started again.`)
      }
    },
  }
}

/**
 * Starts it and waits until it is healthy, and stays so for `windowMs`; undo stops it when it did not run before. With
 * `stopStepId` it does so only when the operation's `stop` step (that id) found it running.
 *
 * @throws ManagerError ERR_HEALTH with the lines of its log that say why.
 */
export function startStep(options: StartStepOptions): Step {
  const { instance, folder, stopStepId } = options
  const ref = { id: instance.id, folder }
  const isWanted = ({ outcome }: StepRun) =>
    stopStepId === undefined || (outcome(stopStepId) as { wasRunning?: boolean } | undefined)?.wasRunning === true
  return {
    id: 'start',
    title: stopStepId === undefined ? 'Start the instance' : 'Start the instance again if it was running',
    async intent({ context }) {
      const { state } = await context.runtimes.of(ref).observe(ref)
      return { wasRunning: isRunning(state), observed: context.registry.byId(ref.id)?.observed ?? 'unknown' }
    },
    async do(run) {
      if (!isWanted(run)) return { started: false }
      await startNow(run, options)
      return { started: true }
    },
    async undo({ context, intent }) {
      const { wasRunning, observed } = (intent ?? {}) as { readonly wasRunning?: boolean; readonly observed?: Observed }
      if (wasRunning !== true) return stopNow(context, ref)
      // Journals of older managers do not say what was recorded.
      if (observed) observe(context, ref, observed)
    },
    check: () => 'not-done',
  }
}

async function stopNow(
  context: ManagerContext,
  ref: { readonly id: string; readonly folder: string },
  force = false,
): Promise<void> {
  const { runtimes, settings } = context
  await runtimes.of(ref).stop(ref, { graceMs: settings.global.stopTimeoutMs, force })
  observe(context, ref, 'stopped')
}

async function startNow(
  { context, signal, warn }: StepRun,
  { instance, windowMs, debug }: StartStepOptions,
): Promise<void> {
  const { registry } = context
  await checkDataThere(context, instance)
  // One of an older manager stays with the server of its next start.
  await pinServerIn({ context, warn }, context.home.instance(instance.id).app)
  const spec = await specOf(context, existing(registry, instance))
  const { name } = instance
  const onStarting = () => observe(context, instance, 'starting')
  observe(context, instance, await bringUp(context, spec, { name, windowMs, debug, signal, onStarting }))
  await noteData(context, spec.folder)
}
