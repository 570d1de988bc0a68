import { checkLoads } from '../application/check-loads.js'
import type { OperationKind, Plan, Step } from '../context.js'
import { isRunning } from '../domain/instance.js'
import type { Json } from '../domain/json.js'
import { checkDataThere } from './data-there.js'
import { existing } from './existing.js'
import { gapNote, handingOf, tellGap, type Handing } from './gap.js'
import { handOverSteps, otherCopy, secondPortStep } from './hand-over.js'
import { hookStep } from './hook-steps.js'
import { rollStep } from './roll.js'
import { startStep, stopToStartStep } from './runtime-steps.js'

export type RestartRequest = { readonly id: string; readonly name: string }

type RestartFacts = {
  readonly name: string
  readonly folder: string
  /** null: it has no processes, and is only started. */
  readonly handing: Handing | null
}

/**
 * Starts an instance again and waits until it is healthy: a second copy takes over where two can run, else it is stopped
 * first. One that does not run is only started.
 */
export const restartKind: OperationKind<RestartRequest, RestartFacts> = {
  kind: 'restart',
  locks: ({ id }) => [`instance:${id}`],
  async inspect({ id, name }, context) {
    const instance = existing(context.registry, { id, name })
    await checkDataThere(context, instance)
    const { folder } = context.home.instance(id)
    const { state } = await context.runtimes.of({ id }).observe({ id, folder })
    const handing = isRunning(state) ? await handingOf(context, instance) : null
    // A copy that does not start beside it takes nothing down.
    if (handing && handing.gap !== null && state !== 'suspended') await checkLoads(context, instance)
    return { name: instance.name, folder, handing }
  },
  plan: planRestart,
}

function planRestart({ id }: RestartRequest, { name, folder, handing }: RestartFacts): Plan {
  const instance = { id, name }
  const input: Json = { action: 'restart', instance: name }
  const hook = { args: [name], folder, instance, input }
  const begin = hookStep({ ...hook, hook: 'pre-start' })
  const end = hookStep({ ...hook, hook: 'post-start' })
  const whole = { title: `Restart instance "${name}"`, instance }
  if (handing?.gap === null && handing.rolling)
    return {
      ...whole,
      steps: [begin, rollStep({ instance, folder }), { ...end, pointOfNoReturn: true }],
      notes: [gapNote(handing)],
      commit: (registry) => registry.updateInstance(id, { desired: 'started', observed: 'started' }),
    }
  if (handing?.gap === null) {
    const { serving, port } = handing
    const [start, point, { undo: _undo, ...stop }] = handOverSteps({
      instance,
      folder,
      ownPort: port,
      from: { copy: serving, port: 'own' },
      to: { copy: otherCopy(serving), port: 'second' },
    })
    return {
      ...whole,
      steps: [begin, secondPortStep(), start, point, { ...stop, pointOfNoReturn: true }, end],
      notes: [gapNote(handing)],
      commit(registry, { operation }) {
        registry.releasePorts(operation)
        registry.updateInstance(id, { desired: 'started', observed: 'started' })
      },
    }
  }
  const ending: readonly Step[] = [
    hookStep({ ...hook, hook: 'pre-stop' }),
    ...(handing ? [tellGap(stopToStartStep({ instance, folder }), handing)] : []),
    hookStep({ ...hook, hook: 'post-stop' }),
  ]
  return {
    ...whole,
    // When the start is done, it serves; should the manager die then, it keeps running.
    steps: [...(handing ? ending : []), begin, startStep({ instance, folder }), { ...end, pointOfNoReturn: true }],
    notes: [handing ? gapNote(handing) : 'It is not running, so it is only started.'],
    commit: (registry) => registry.updateInstance(id, { desired: 'started' }),
  }
}
