import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import type { ManagerContext } from '../../context.js'
import type { Observed } from '../../domain/instance.js'
import { existing } from '../../instances/existing.js'
import { becomesFree } from '../../instances/port.js'
import { specOf } from '../../instances/instance-spec.js'
import { waitForHealth, type Health } from '../../instances/health.js'
import { redact } from '../../runtime/redact.js'
import type { Observation } from '../../runtime/runtime.js'
import type { Step, StepRun } from '../operation.js'

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

/** Stops it when it runs; undo starts it again when it ran (its intent says so). Sets `observed`. */
export function stopStep({ instance, folder, force }: RuntimeStepOptions & { readonly force?: boolean }): Step {
  const ref = { id: instance.id, folder }
  return {
    id: 'stop',
    title: force ? 'Stop the instance by force' : 'Stop the instance',
    async intent({ context }) {
      return { wasRunning: isRunning((await context.runtime.observe(ref)).state) }
    },
    async do({ context, intent }) {
      await stopNow(context, ref, force)
      return { wasRunning: (intent as { wasRunning?: boolean }).wasRunning === true }
    },
    async undo(run) {
      if ((run.intent as { wasRunning?: boolean }).wasRunning === true) await startNow(run, { instance, folder })
    },
    async check({ context }) {
      return isRunning((await context.runtime.observe(ref)).state) ? 'not-done' : 'done'
    },
  }
}

/**
 * Starts it and waits until it is healthy, and stays so for `windowMs`; undo stops it when it did not run before. With
 * `stopStepId` it does so only when the operation's `stop` step (that id) found it running.
 *
 * @throws ManagerError ERR_HEALTH with the last lines of its log.
 */
export function startStep(options: StartStepOptions): Step {
  const { instance, folder, stopStepId } = options
  const ref = { id: instance.id, folder }
  const isWanted = ({ outcome }: StepRun) =>
    stopStepId === undefined || (outcome(stopStepId) as { wasRunning?: boolean } | undefined)?.wasRunning === true
  return {
    id: 'start',
    title: stopStepId === undefined ? 'Start the instance' : 'Start the instance again when it ran',
    async intent({ context }) {
      return { wasRunning: isRunning((await context.runtime.observe(ref)).state) }
    },
    async do(run) {
      if (!isWanted(run)) return { started: false }
      await startNow(run, options)
      return { started: true }
    },
    async undo({ context, intent }) {
      if ((intent as { wasRunning?: boolean } | undefined)?.wasRunning !== true) await stopNow(context, ref)
    },
    check: () => 'not-done',
  }
}

/** Whether it has processes. */
export function isRunning(state: Observed): boolean {
  return ['started', 'starting', 'degraded', 'suspended'].includes(state)
}

async function stopNow(
  { runtime, settings, registry }: ManagerContext,
  ref: { readonly id: string; readonly folder: string },
  force = false,
): Promise<void> {
  await runtime.stop(ref, { graceMs: settings.global.stopTimeoutMs, force })
  registry.transaction((writer) => writer.updateInstance(ref.id, { observed: 'stopped' }))
}

async function startNow(
  { context, signal }: StepRun,
  { instance, folder, windowMs = 0, debug = false }: StartStepOptions,
): Promise<void> {
  const { runtime, registry, settings } = context
  const ref = { id: instance.id, folder }
  const spec = await specOf(context, existing(registry, instance))
  const observe = (observed: Observed) =>
    registry.transaction((writer) => writer.updateInstance(instance.id, { observed }))

  await makeReady(context, ref)
  if (!isRunning((await runtime.observe(ref)).state) && !(await becomesFree(spec.port)))
    throw new ManagerError(
      'ERR_STATE',
      `"${instance.name}" cannot start: its port ${spec.port} is taken by another program.`,
      { help: `End what listens on 127.0.0.1:${spec.port}, then start the instance again.` },
    )
  await runtime.define(spec)
  await runtime.start(spec, { debug, signal })
  observe('starting')
  const { restarts } = await runtime.observe(ref)
  const stillRunning = async () => {
    const now = await runtime.observe(ref)
    return isRunning(now.state) && now.restarts === restarts && !isPausing(now)
  }
  // Two managers may choose the same port at a time; the one that comes second must not take the other's word.
  const isOurs = async ({ sections }: Health) => {
    const pid = sections['process']?.['pid']
    if (pid === undefined || !runtime.capabilities.processes) return true
    return (await runtime.observe(ref)).pids.includes(Number(pid))
  }
  const { startTimeoutMs } = settings.global
  const health = await waitForHealth(spec.port, { timeoutMs: startTimeoutMs, signal, stillRunning, isOurs })
  const problem = health.ok
    ? await unsteadiness(spec.port, windowMs, stillRunning, signal)
    : (await stillRunning())
      ? `it is not healthy after ${Math.round(startTimeoutMs / 1000)} s (${health.reason})`
      : 'its application ended soon after its start'
  // One without its supervisor serves all the same.
  if (problem === undefined) return observe((await runtime.observe(ref)).state === 'degraded' ? 'degraded' : 'started')
  throw new ManagerError('ERR_HEALTH', `"${instance.name}" did not start: ${problem}.`, {
    help: 'The last lines of its log say why.',
    command: `logs ${instance.name}`,
    output: await lastLines(context, ref),
  })
}

/** Whoever asks for a start does not wait for the pause after a crash, nor for a save that was cut off. */
async function makeReady(
  { runtime }: ManagerContext,
  ref: { readonly id: string; readonly folder: string },
): Promise<void> {
  const now = await runtime.observe(ref)
  if (now.state === 'suspended') await runtime.resume?.(ref)
  if (isPausing(now)) await runtime.stop(ref, { graceMs: 5000 })
}

/** It ended, and will be started again by itself. */
function isPausing({ state, lastExit }: Observation): boolean {
  return state === 'starting' && lastExit !== undefined
}

/** What went wrong within the window; undefined: nothing. */
async function unsteadiness(
  port: number,
  windowMs: number,
  stillRunning: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const begin = performance.now()
  for (;;) {
    if (!(await stillRunning())) return 'its application ended soon after its start'
    const left = windowMs - (performance.now() - begin)
    if (left <= 0) return undefined
    await sleep(Math.min(500, left), undefined, { signal })
    const health = await waitForHealth(port, { timeoutMs: 2000, signal, stillRunning })
    if (!health.ok) return `it was healthy, and is not any more (${health.reason})`
  }
}

async function lastLines(
  { runtime }: ManagerContext,
  ref: { readonly id: string; readonly folder: string },
): Promise<string> {
  const lines: string[] = []
  for await (const line of runtime.logs(ref, { lines: 20 })) lines.push(redact(line))
  return lines.join('\n')
}
