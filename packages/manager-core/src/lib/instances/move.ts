import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { specOf } from '../application/instance-spec.js'
import type { ManagerContext, OperationKind, Plan, Step } from '../context.js'
import { kindOf } from '../templates/check-template.js'
import { checkRuntime } from './choose-runtime.js'
import { checkDataThere } from './data-there.js'
import { checkElsewhere, runsElsewhere } from './elsewhere.js'
import { existing } from './existing.js'
import { hookStep } from './hook-steps.js'
import { runsOrSleeps, startStep, stopStep } from './runtime-steps.js'

export type MoveRequest = { readonly id: string; readonly name: string; readonly to: string }

type MoveFacts = {
  readonly name: string
  readonly folder: string
  readonly from: string
  /** The manager has the runtime that it is moved from. */
  readonly isKnown: boolean
  /** It has processes, or, when that is unknown, should have. */
  readonly runs: boolean
}

interface MoveOptions {
  readonly id: string
  readonly folder: string
  readonly runtime: string
}

/** Lets another runtime run an instance. Its data, name and port stay; one that is stopped stays stopped. */
export const moveKind: OperationKind<MoveRequest, MoveFacts> = {
  kind: 'move',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ to, ...request }, context) {
    const { runtimes, home } = context
    const instance = existing(context.registry, request)
    const { id, name, runtime: from, desired } = instance
    if (from === to)
      throw new ManagerError('ERR_STATE', `"${name}" runs as "${to}" already.`, { command: `get ${name}` })
    await checkDataThere(context, instance)
    const { folder, app } = home.instance(id)
    await checkRuntime(context, to, await kindOf(app))
    const { documents } = await context.settings.instance(folder)
    checkElsewhere(context, to, { database: instance.database, documents })
    if (runsElsewhere(context, to) && accountAt(folder))
      throw new ManagerError('ERR_STATE', `"${name}" has a system account of this machine, which others do not have.`, {
        help: 'Take it away first.',
        command: `isolate ${name} --undo`,
      })
    const isKnown = runtimes.names.includes(from)
    const runs = isKnown ? await runsOrSleeps(context, { id, folder }) : desired === 'started'
    return { name, folder, from, isKnown, runs }
  },
  plan: planMove,
}

function planMove({ id, to }: MoveRequest, { name, folder, from, isKnown, runs }: MoveFacts): Plan {
  const instance = { id, name }
  const hook = { args: [name], folder, instance, input: { action: 'move', instance: name, runtime: to } }
  const leave: readonly Step[] = isKnown
    ? [stopStep({ instance, folder }), undefineOldStep({ id, folder, runtime: from })]
    : []
  const end: readonly Step[] = [
    startStep({ instance, folder, ...(isKnown && { stopStepId: 'stop' }) }),
    { ...hookStep({ ...hook, hook: 'post-start' }), pointOfNoReturn: true },
  ]
  return {
    title: `Move instance "${name}" from ${from} to ${to}`,
    instance,
    steps: [
      ...(runs ? [hookStep({ ...hook, hook: 'pre-start' })] : []),
      ...leave,
      runtimeStep(id, from, to),
      defineNewStep({ id, folder, runtime: to }),
      ...(runs ? end : []),
    ],
    notes: [
      ...(runs ? ['Downtime until it is started again. Its data, address and port do not change.'] : []),
      ...(isKnown
        ? []
        : [`The manager no longer has the runtime "${from}". Processes that may still run there are not stopped.`]),
    ],
  }
}

function runtimeStep(id: string, from: string, to: string): Step {
  const write = async ({ registry }: ManagerContext, runtime: string) =>
    registry.transaction((writer) => writer.updateInstance(id, { runtime }))
  return {
    id: 'runtime',
    title: `Record the runtime ${to}`,
    do: ({ context }) => write(context, to),
    undo: ({ context }) => write(context, from),
    check: ({ context }) => (context.registry.byId(id)?.runtime === to ? 'done' : 'not-done'),
  }
}

/** By its name: what the row says changes meanwhile. */
function undefineOldStep(options: MoveOptions): Step {
  return {
    id: 'undefine',
    title: `Remove it from ${options.runtime}`,
    do: ({ context }) => undefine(context, options),
    undo: ({ context }) => define(context, options),
    check: () => 'not-done',
  }
}

function defineNewStep(options: MoveOptions): Step {
  return {
    id: 'define',
    title: `Set it up in ${options.runtime}`,
    do: ({ context }) => define(context, options),
    undo: ({ context }) => undefine(context, options),
    check: () => 'not-done',
  }
}

async function define(context: ManagerContext, { id, runtime }: MoveOptions): Promise<void> {
  const instance = existing(context.registry, { id, name: id })
  await context.runtimes.named(runtime).define(await specOf(context, instance))
}

function undefine({ runtimes }: ManagerContext, { id, folder, runtime }: MoveOptions): Promise<void> {
  return runtimes.named(runtime).undefine({ id, folder })
}
