import type { ManagerContext } from '../context.js'
import type { Json } from '../domain/json.js'
import type { OperationKind } from '../operation/operation.js'
import { hookStep } from '../operation/steps/hook-steps.js'
import { startStep, stopStep } from '../operation/steps/runtime-steps.js'
import { existing } from './existing.js'

type StartRequest = { readonly id: string; readonly name: string; readonly debug: boolean }
type StopRequest = { readonly id: string; readonly name: string; readonly force: boolean }
type Facts = { readonly name: string; readonly folder: string }

/** Starts an instance and waits until it is healthy; it is wanted started from then on. */
export const startKind: OperationKind<StartRequest, Facts> = {
  kind: 'start',
  locks: ({ id }) => [`instance:${id}`],
  inspect: factsOf,
  plan({ id, debug }, { name, folder }) {
    const instance = { id, name }
    const hook = { args: [name], folder, instance, input: inputOf('start', name, { debug }) }
    return {
      title: `Start instance "${name}"`,
      instance,
      steps: [
        hookStep({ ...hook, hook: 'pre-start' }),
        startStep({ instance, folder, debug }),
        // It serves; a manager that dies now lets it.
        { ...hookStep({ ...hook, hook: 'post-start' }), pointOfNoReturn: true },
      ],
      commit: (registry) => registry.updateInstance(id, { desired: 'started' }),
    }
  },
}

/** Stops an instance; it is wanted stopped from then on. */
export const stopKind: OperationKind<StopRequest, Facts> = {
  kind: 'stop',
  locks: ({ id }) => [`instance:${id}`],
  inspect: factsOf,
  plan({ id, force }, { name, folder }) {
    const instance = { id, name }
    const hook = { args: [name], folder, instance, input: inputOf('stop', name, { force }) }
    return {
      title: `Stop instance "${name}"${force ? ' by force' : ''}`,
      instance,
      steps: [
        hookStep({ ...hook, hook: 'pre-stop' }),
        // Whoever asked for it wants it stopped: nobody starts it again because a manager died.
        { ...stopStep({ instance, folder, force }), pointOfNoReturn: true },
        hookStep({ ...hook, hook: 'post-stop' }),
      ],
      commit: (registry) => registry.updateInstance(id, { desired: 'stopped' }),
    }
  },
}

async function factsOf(
  { id, name }: { readonly id: string; readonly name: string },
  { registry, home }: ManagerContext,
): Promise<Facts> {
  return { name: existing(registry, { id, name }).name, folder: home.instance(id).folder }
}

function inputOf(action: string, instance: string, more: Readonly<Record<string, Json>>): Json {
  return { action, instance, ...more }
}
