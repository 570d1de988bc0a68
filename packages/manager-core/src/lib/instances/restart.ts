import { isRunning } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import type { OperationKind, Plan } from '../operation/operation.js'
import { hookStep } from '../operation/steps/hook-steps.js'
import { startStep, stopStep } from '../operation/steps/runtime-steps.js'
import { existing } from './existing.js'

export type RestartRequest = { readonly id: string; readonly name: string }

type RestartFacts = {
  readonly name: string
  readonly folder: string
  /** Whether it has processes. */
  readonly runs: boolean
}

/** Stops an instance, starts it again, and waits until it is healthy; one that does not run is only started. */
export const restartKind: OperationKind<RestartRequest, RestartFacts> = {
  kind: 'restart',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name }, { registry, home, runtime }) {
    const { folder } = home.instance(id)
    const { state } = await runtime.observe({ id, folder })
    return { name: existing(registry, { id, name }).name, folder, runs: isRunning(state) }
  },
  plan: planRestart,
}

function planRestart({ id }: RestartRequest, { name, folder, runs }: RestartFacts): Plan {
  const instance = { id, name }
  const input: Json = { action: 'restart', instance: name }
  const hook = { args: [name], folder, instance, input }
  const ending = [
    hookStep({ ...hook, hook: 'pre-stop' }),
    stopStep({ instance, folder }),
    hookStep({ ...hook, hook: 'post-stop' }),
  ]
  return {
    title: `Restart instance "${name}"`,
    instance,
    steps: [
      ...(runs ? ending : []),
      hookStep({ ...hook, hook: 'pre-start' }),
      startStep({ instance, folder }),
      // It serves; should the manager die now, it goes on.
      { ...hookStep({ ...hook, hook: 'post-start' }), pointOfNoReturn: true },
    ],
    notes: runs ? ['It does not answer while it is started again.'] : ['It does not run: it is only started.'],
    commit: (registry) => registry.updateInstance(id, { desired: 'started' }),
  }
}
