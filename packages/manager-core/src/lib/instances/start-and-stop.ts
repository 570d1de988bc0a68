import { existsSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import type { ManagerContext, OperationKind } from '../context.js'
import { isRunning, type Desired } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { refOf } from '../runtime/instance-ref.js'
import { checkDataThere, lostData } from './data-there.js'
import { emptyDataStep } from './empty-data-step.js'
import { existing } from './existing.js'
import { hookStep } from './hook-steps.js'
import { sleepStep, startStep, stopStep, stopToStartStep } from './runtime-steps.js'
import { sleepAfterMs } from './sleep-after.js'

type Request = { readonly id: string; readonly name: string }
/** `asleep`: stopped until a request comes. */
type Facts = { readonly name: string; readonly folder: string; readonly asleep?: boolean }

/**
 * Starts an instance and waits until it is healthy; it is wanted started from then on. With `wake` only one that sleeps. What
 * sleeps and cannot be started stays asleep, so that the next request tries it again.
 */
export const startKind: OperationKind<Request & { readonly empty?: boolean; readonly wake?: boolean }, Facts> = {
  kind: 'start',
  locks: lockOf,
  async inspect({ id, name, empty, wake }, context) {
    if (wake === true && context.registry.byId(id)?.observed !== 'asleep')
      throw new ManagerError('ERR_STATE', `"${name}" is not asleep.`, { command: `start ${name}` })
    if (empty !== true) return inspectStart({ id, name }, context)
    if ((await lostData(context, { id })) === undefined)
      throw new ManagerError('ERR_STATE', `The data of "${name}" exists. --empty only works if the data is missing.`, {
        help: 'To make it blank, and keep the old contents in the trash, use reset.',
        command: `reset ${name}`,
      })
    return inspect({ id, name }, context)
  },
  plan({ id, empty }, { name, folder, asleep }) {
    const instance = { id, name }
    const hook = { args: [name], folder, instance, input: inputOf('start', name, {}) }
    return {
      title: `Start instance "${name}"`,
      instance,
      steps: [
        hookStep({ ...hook, hook: 'pre-start' }),
        ...(empty === true ? [emptyDataStep({ folder })] : []),
        startStep({ instance, folder }),
        // It serves; should the manager die now, it keeps running.
        { ...hookStep({ ...hook, hook: 'post-start' }), pointOfNoReturn: true },
      ],
      commit: (registry) => registry.updateInstance(id, { desired: 'started' }),
      ...(asleep === true && { rollback: (registry) => registry.updateInstance(id, { observed: 'asleep' }) }),
    }
  },
}

/** Stops an instance until a request comes: its wanted state stays "started". */
export const sleepKind: OperationKind<Request, Facts> = {
  kind: 'sleep',
  locks: lockOf,
  async inspect(request, context) {
    const instance = existing(context.registry, request)
    const { name, desired } = instance
    const { state } = await context.runtimes.of(instance).observe(refOf(context, instance))
    if (desired !== 'started' || !isRunning(state))
      throw new ManagerError('ERR_STATE', `"${name}" is not running, so it cannot be put to sleep.`, {
        command: `start ${name}`,
      })
    if ((await sleepAfterMs(context, instance)) === 0)
      throw new ManagerError('ERR_STATE', `"${name}" cannot be put to sleep, because no request would wake it.`, {
        help: 'Set APPS_SLEEP_AFTER, or SERVICE_SLEEP_AFTER of the instance; both need APPS_PROXY=yes.',
      })
    return inspect(request, context)
  },
  plan({ id }, { name, folder }) {
    const instance = { id, name }
    const hook = { args: [name], folder, instance, input: inputOf('sleep', name, {}) }
    return {
      title: `Put instance "${name}" to sleep`,
      instance,
      steps: [
        hookStep({ ...hook, hook: 'pre-stop' }),
        { ...sleepStep({ instance, folder }), pointOfNoReturn: true },
        hookStep({ ...hook, hook: 'post-stop' }),
      ],
    }
  },
}

/** Stops an instance; it is wanted stopped from then on. */
export const stopKind: OperationKind<Request & { readonly force: boolean }, Facts & { readonly lost: boolean }> = {
  kind: 'stop',
  despiteAttention: true,
  frees: true,
  async withoutJournal({ id, name, force }, { home, runtimes, settings }) {
    await runtimes
      .of({ id })
      .stop({ id, folder: home.instance(id).folder }, { graceMs: settings.global.stopTimeoutMs, force })
    return `The disk is full: "${name}" is stopped, but this could not be recorded. Free disk space, then stop it again.`
  },
  locks: lockOf,
  async inspect(request, context) {
    return { ...(await inspect(request, context)), lost: !existsSync(context.home.instance(request.id).settings) }
  },
  plan({ id, force }, { name, folder, lost }) {
    const instance = { id, name }
    const args = [name, ...(force ? ['force=true'] : [])]
    const hook = { args, folder: lost ? undefined : folder, instance, input: inputOf('stop', name, { force }) }
    return {
      title: `Stop instance "${name}"${force ? ' by force' : ''}`,
      instance,
      steps: [
        hookStep({ ...hook, hook: 'pre-stop' }),
        // It was asked to be stopped: it is not started again because a manager died.
        { ...stopStep({ instance, folder, force }), pointOfNoReturn: true },
        hookStep({ ...hook, hook: 'post-stop' }),
      ],
      commit: (registry) => registry.updateInstance(id, { desired: 'stopped' }),
    }
  },
}

/** Stops the application server of an instance that stays wanted started. */
export const appStopKind: OperationKind<Request, Facts> = {
  kind: 'app-stop',
  locks: lockOf,
  inspect,
  plan({ id }, { name, folder }) {
    const instance = { id, name }
    return {
      title: `Stop the application server of "${name}"`,
      instance,
      steps: [{ ...stopStep({ instance, folder }), pointOfNoReturn: true }],
    }
  },
}

/** Starts the application server of an instance. */
export const appStartKind: OperationKind<Request, Facts> = {
  kind: 'app-start',
  locks: lockOf,
  inspect: inspectStart,
  plan({ id }, { name, folder }) {
    const instance = { id, name }
    return { title: `Start the application server of "${name}"`, instance, steps: [startStep({ instance, folder })] }
  },
}

/** Starts it again with its debugger open; when that fails, without it. */
export const appDebugKind: OperationKind<Request, Facts> = {
  kind: 'app-debug',
  locks: lockOf,
  inspect: inspectStart,
  plan({ id }, { name, folder }) {
    const instance = { id, name }
    return {
      title: `Debug the application server of "${name}"`,
      instance,
      steps: [stopToStartStep({ instance, folder }), startStep({ instance, folder, debug: true })],
      notes: ['Downtime while it restarts.'],
    }
  },
}

/** Records what an instance is, and touches no process. */
export const setStatusKind: OperationKind<Request & { readonly status: Desired }, Facts> = {
  kind: 'setstatus',
  locks: lockOf,
  inspect,
  plan: ({ id, status }, { name, asleep }) => ({
    title: `Record "${name}" as ${status}`,
    instance: { id, name },
    steps: [],
    commit(registry) {
      const isOver = asleep === true && status === 'stopped'
      registry.updateInstance(id, { desired: status, ...(isOver && { observed: 'stopped' }) })
    },
  }),
}

function lockOf({ id }: Request): readonly string[] {
  return [`instance:${id}`]
}

async function inspect({ id, name }: Request, { registry, home }: ManagerContext): Promise<Facts> {
  const instance = existing(registry, { id, name })
  return { name: instance.name, folder: home.instance(id).folder, asleep: instance.observed === 'asleep' }
}

/** Before it is stopped: what still runs may have data that are nowhere else. */
async function inspectStart(request: Request, context: ManagerContext): Promise<Facts> {
  const facts = await inspect(request, context)
  await checkDataThere(context, { id: request.id, name: facts.name })
  return facts
}

function inputOf(action: string, instance: string, more: Readonly<Record<string, Json>>): Json {
  return { action, instance, ...more }
}
