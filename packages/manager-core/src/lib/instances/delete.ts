import type { OperationKind, Plan } from '../context.js'
import { undefineStep } from './define-step.js'
import { hookStep } from './hook-steps.js'
import { leftOf, leftStep, type Left } from './left-step.js'
import { moveToTrash, type TrashMove } from './move-to-trash.js'
import { stopStep } from './runtime-steps.js'
import { trashStep } from './trash-step.js'
import { unprotected } from './unprotected.js'

export type DeleteRequest = {
  readonly id: string
  readonly name: string
  readonly force: boolean
  /** Nothing is kept. */
  readonly purge: boolean
}

type DeleteFacts = TrashMove & {
  /** Absent: nothing. */
  readonly left?: Left
}

/** Puts an instance into the trash; its name and port are free, its database stays until it is purged. */
export const deleteKind: OperationKind<DeleteRequest, DeleteFacts> = {
  kind: 'delete',
  frees: true,
  replacesAll: () => true,
  locks: ({ id }) => [`instance:${id}`],
  async inspect(request, context) {
    const instance = unprotected(request, 'deleted', context)
    const left = leftOf(context, instance, request)
    return { ...(await moveToTrash(context, instance, request.purge ? 'purge' : 'delete')), ...(left && { left }) }
  },
  plan: planDelete,
}

function planDelete({ force }: DeleteRequest, { folder, lost, trash, entry, record, left }: DeleteFacts): Plan {
  const { id, name, database } = record.instance
  const instance = { id, name }
  const hook = {
    args: [name, ...(force ? ['force=true'] : [])],
    input: { action: 'delete', instance: name, force },
    instance,
  }
  const kept = `It and its ${database} database stay in the trash until ${record.expires}. To restore it: undelete ${entry}`
  return {
    title: `Delete instance "${name}"`,
    instance,
    steps: [
      hookStep({ ...hook, hook: 'pre-del', folder: lost ? undefined : folder }),
      stopStep({ instance, folder, force }),
      ...(lost ? [] : [undefineStep({ row: { id }, folder })]),
      trashStep({ folder, trash, record }),
      { ...hookStep({ ...hook, hook: 'post-del', folder: lost ? undefined : trash }), pointOfNoReturn: true },
      ...(left ? [leftStep(left)] : []),
    ],
    notes: [record.expires > record.deleted ? kept : 'Its data and database are deleted permanently.'],
    commit: (registry) => registry.deleteInstance(id),
  }
}
