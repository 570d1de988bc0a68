import { ManagerError } from '../../errors.js'
import { specOf } from '../application/instance-spec.js'
import type { ManagerContext, Step, StepRun } from '../context.js'
import { waitForHealth } from '../runtime/health.js'
import { ownerOfPort } from '../runtime/owner-of-port.js'
import { socketPathOf } from '../runtime/instance-socket.js'
import type { Copy, InstanceRef } from '../runtime/runtime.js'
import { bringUp } from './bring-up.js'
import { unused } from './connections.js'
import { existing } from './existing.js'
import { ioUrlOf } from './new-settings.js'
import { takePort } from './ports.js'

/** Where a copy runs. */
export interface CopyPlace {
  readonly copy: Copy
  /** The instance's own port, or the one that `secondPortStep` took. */
  readonly port: 'own' | 'second'
  /** Folder of its application, when it is not the instance's. */
  readonly app?: ((run: StepRun) => string) | undefined
}

export interface HandOverOptions {
  readonly instance: { readonly id: string; readonly name: string }
  readonly folder: string
  /** The instance's port before the operation. */
  readonly ownPort: number
  readonly from: CopyPlace
  readonly to: CopyPlace
  /** Suffix of the names of the steps, when there are others like them. */
  readonly suffix?: string
  /** How long the copy must stay healthy before it serves, in ms. */
  readonly windowMs?: number
  /** What the copy is called in titles. Default: a second copy. */
  readonly title?: string
}

const reserveId = 'second-port'

/** Other copy than this one. */
export function otherCopy(copy: Copy): Copy {
  return copy === 'a' ? 'b' : 'a'
}

/** Takes a second port beside that of the instance; `releasePorts` of `commit` gives back the one that is no longer used. */
export function secondPortStep(): Step {
  const isTaken = ({ context, operation }: StepRun) => context.registry.hasReservedPort(operation)
  return {
    id: reserveId,
    title: 'Take a second port',
    do: ({ context, operation, signal }) =>
      takePort(context, signal, (port) => {
        context.registry.transaction((writer) => writer.reservePort(port, operation))
        return { port }
      }),
    async undo({ context, operation }) {
      context.registry.transaction((writer) => writer.releasePorts(operation))
    },
    check: (run) => (isTaken(run) ? 'done' : 'not-done'),
  }
}

/**
 * Makes a second copy serve in the place of the one that does, without a moment in which none answers: the second one is
 * started beside, all is pointed at it, and the first one ends when its open requests have. Undone in the other order,
 * again without downtime. Both run the same data model, see `handingOf`.
 */
export function handOverSteps(options: HandOverOptions): readonly [start: Step, point: Step, end: Step] {
  const { from, to, suffix = '', windowMs = 0, title = 'a second copy' } = options
  const isWatched = windowMs > 0 ? ` and watch its health for ${windowMs / 1000} s` : ''
  return [
    {
      id: `copy${suffix}`,
      title: `Start ${title}${isWatched}`,
      async do(run) {
        // One that an operation left which was given up.
        await run.context.runtimes.of(options.instance).stop(refOf(options, to), { graceMs: 0, force: true })
        await startCopy(run, options, to, windowMs)
      },
      async undo({ context }) {
        await stopCopy(context, options, to)
      },
      check: () => 'not-done',
    },
    {
      id: `point${suffix}`,
      title: `Let ${title} serve`,
      async do(run) {
        await pointAt(run, options, to)
        await assertHealthy(run, options, to)
      },
      async undo(run) {
        // It runs, unless all has ended with the machine; it must answer before the other one ends.
        await startCopy(run, options, from, 0)
        await pointAt(run, options, from)
        await drain(run, options, to)
      },
      check: () => 'not-done',
    },
    {
      id: `end${suffix}`,
      title: 'Stop the old copy when its open requests have ended',
      async do(run) {
        await drain(run, options, from)
        await stopCopy(run.context, options, from)
      },
      undo: (run) => startCopy(run, options, from, 0),
      check: () => 'not-done',
    },
  ]
}

/** All that says where the instance is: registry, SERVICE_URL, runtime, reverse proxy. */
async function pointAt(run: StepRun, options: HandOverOptions, place: CopyPlace): Promise<void> {
  const { context, caller, operation, signal } = run
  const { registry, settings, runtimes, proxies } = context
  const { instance, folder } = options
  const port = portOf(run, options, place)
  const other = portOf(run, options, { ...place, port: place.port === 'own' ? 'second' : 'own' })
  registry.transaction((writer) => {
    writer.releasePorts(operation)
    writer.reservePort(other, operation)
    writer.updateInstance(instance.id, { port })
  })
  await settings.writeInstance(folder, { ...(await settings.instance(folder)), url: ioUrlOf(port) })
  await runtimes.of(instance).serve?.({ id: instance.id, folder }, place.copy)
  const { warnings } = await proxies.publish({
    actor: caller.actor,
    surface: caller.surface,
    address: caller.address ?? '',
    grant: caller.grant,
    signal,
  })
  for (const warning of warnings) run.warn(warning)
}

/** Before the former copy ends: that this one has not ended meanwhile. */
async function assertHealthy(run: StepRun, options: HandOverOptions, place: CopyPlace): Promise<void> {
  const owner = ownerOfPort(run.context.runtimes, refOf(options, place))
  const at = { port: portOf(run, options, place), owner }
  const { ok, reason } = await waitForHealth(at, { timeoutMs: 2000, signal: run.signal })
  if (!ok)
    throw new ManagerError('ERR_HEALTH', `"${options.instance.name}" was healthy, but no longer is (${reason}).`, {
      help: 'See its log for details.',
      command: `logs ${options.instance.name}`,
    })
}

/** Lets a copy finish to which nothing new is sent. */
async function drain(run: StepRun, options: HandOverOptions, place: CopyPlace): Promise<void> {
  const { context, signal, progress } = run
  const timeoutMs = context.settings.global.stopTimeoutMs
  const begin = performance.now()
  // One of its processes may still take a long upload, which it passes on when it has all of it.
  await context.proxies.drained({ timeoutMs, signal })
  const at = { port: portOf(run, options, place), socket: socketPathOf(refOf(options, place)) }
  const left = await unused(at, {
    timeoutMs: timeoutMs - (performance.now() - begin),
    signal,
    onChange: (count) => progress(`Connections to the old copy: ${count}`),
  })
  if (left === 0) return
  const seconds = timeoutMs / 1000
  run.warn(
    `The old copy of "${options.instance.name}" still had open connections after ${seconds} s, which were closed ` +
      `(${left}).`,
  )
}

async function startCopy(run: StepRun, options: HandOverOptions, place: CopyPlace, windowMs: number): Promise<void> {
  const { context, signal } = run
  const { instance } = options
  const row = { ...existing(context.registry, instance), port: portOf(run, options, place) }
  const spec = await specOf(context, row, { copy: place.copy, app: place.app?.(run) })
  await bringUp(context, spec, { name: instance.name, windowMs, signal })
}

async function stopCopy(
  { runtimes, settings }: ManagerContext,
  options: HandOverOptions,
  place: CopyPlace,
): Promise<void> {
  await runtimes.of(options.instance).stop(refOf(options, place), { graceMs: settings.global.stopTimeoutMs })
}

function refOf({ instance, folder }: HandOverOptions, { copy }: CopyPlace): InstanceRef {
  return { id: instance.id, folder, copy }
}

function portOf(run: StepRun, { ownPort }: HandOverOptions, { port }: CopyPlace): number {
  return port === 'own' ? ownPort : (run.outcome(reserveId) as { readonly port: number }).port
}
