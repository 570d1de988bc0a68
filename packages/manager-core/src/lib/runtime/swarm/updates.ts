import { setTimeout as sleep } from 'node:timers/promises'
import { ManagerError } from '../../../errors.js'
import type { Rolled } from '../runtime.js'
import type { Service } from './tasks.js'

const pollMs = 100

export interface UpdateOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits until the engine has replaced all tasks of a service, or has put the former ones back.
 *
 * @returns the result, and why, as the engine says
 * @throws ManagerError ERR_FAILED when it takes too long, or the engine gave up
 */
export async function updated(
  find: () => Promise<Service | undefined>,
  { timeoutMs, signal }: UpdateOptions,
): Promise<Rolled> {
  const begin = performance.now()
  for (;;) {
    const found = await find()
    const { State = '', Message: message = '' } = found?.UpdateStatus ?? {}
    if (!found || found.Spec.Mode.Replicated.Replicas === 0)
      throw new ManagerError('ERR_STATE', 'It was stopped while its tasks were replaced.')
    if (State === 'completed') return { state: 'completed', message }
    if (State === 'rollback_completed') return { state: 'rolled-back', message }
    if (State === 'paused' || State === 'rollback_paused')
      throw new ManagerError('ERR_FAILED', `The swarm stopped replacing its tasks: ${message}.`, {
        help: `See "docker service ps ${found.Spec.Name}".`,
      })
    if (performance.now() - begin > timeoutMs)
      throw new ManagerError(
        'ERR_FAILED',
        `The swarm has not replaced its tasks in ${Math.round(timeoutMs / 1000)} s.`,
        {
          help: 'Check that nodes are ready and active, have the labels of SERVICE_PLACEMENT, and reach the registry.',
          command: 'swarm nodes',
        },
      )
    await sleep(pollMs, undefined, { signal })
  }
}
