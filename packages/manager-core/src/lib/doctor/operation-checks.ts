import type { ManagerContext } from '../context.js'
import { fullGrant } from '../domain/grant.js'
import { createJournal } from '../store/journal.js'
import type { DoctorCheck } from './check.js'

export const operationChecks: readonly DoctorCheck[] = [
  {
    id: 'operations',
    category: 'operations',
    title: 'No operation needs attention',
    async run(context) {
      return leftOperations(context).map(({ id, title, message, state }) => ({
        level: 'error',
        message: `${title}: ${state === 'attention' ? message : 'its process has ended.'}`,
        help: `Operation ${id}. If it cannot be finished: manager giveup ${id}`,
        async fix() {
          const outcome = await context.operations.retry(id, { actor: 'doctor', surface: 'cli', grant: fullGrant })
          if (outcome === 'attention') throw new Error('it still needs attention')
          return outcome === 'rolled_back' ? 'It was rolled back.' : 'It was finished.'
        },
      }))
    },
  },
]

/** Open operations that no process works on. */
export function leftOperations({ registry, clock }: ManagerContext) {
  return createJournal(registry, { clock })
    .open()
    .filter(({ state, ownerState }) => state === 'attention' || ownerState !== 'alive')
}
