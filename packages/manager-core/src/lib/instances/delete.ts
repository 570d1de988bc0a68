import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import type { OperationKind, Plan } from '../operation/operation.js'
import { hookStep } from '../operation/steps/hook-steps.js'
import { stopStep } from '../operation/steps/runtime-steps.js'
import { existing } from './existing.js'
import { undefineStep } from './define-step.js'
import { trashStep, type TrashFacts } from './trash-step.js'
import { newEntryName } from './trash.js'

export type DeleteRequest = {
  readonly id: string
  readonly name: string
  readonly force: boolean
  /** Nothing is kept. */
  readonly purge: boolean
}

type DeleteFacts = {
  readonly folder: string
  /** Its home is not what it was: somebody removed the settings, or all of it. */
  readonly lost: boolean
  /** Absolute. */
  readonly trash: string
  readonly entry: string
  readonly record: TrashFacts
}

/** Puts an instance into the trash; its name and port are free, its database stays until it is purged. */
export const deleteKind: OperationKind<DeleteRequest, DeleteFacts> = {
  kind: 'delete',
  locks: ({ id }) => [`instance:${id}`],
  async inspect(request, context) {
    const { id, purge } = request
    const instance = unprotected(request, 'deleted', context)
    const { folder, settings } = context.home.instance(id)
    return { folder, lost: !existsSync(settings), ...(await trashFacts(context, instance, purge ? 'purge' : 'delete')) }
  },
  plan: planDelete,
}

function planDelete({ force, purge }: DeleteRequest, { folder, lost, trash, entry, record }: DeleteFacts): Plan {
  const { id, name, database } = record.instance
  const instance = { id, name }
  const hook = {
    args: [name, ...(force ? ['force=true'] : [])],
    input: { action: 'delete', instance: name, force },
    instance,
  }
  const kept = `Until ${record.expires} it can be had back (undelete ${entry}); its ${database} database stays as long.`
  return {
    title: `Delete instance "${name}"`,
    instance,
    steps: [
      hookStep({ ...hook, hook: 'pre-del', folder: lost ? undefined : folder }),
      stopStep({ instance, folder, force }),
      ...(lost ? [] : [undefineStep({ row: { id }, folder })]),
      trashStep({ folder, trash, record }),
      { ...hookStep({ ...hook, hook: 'post-del', folder: lost ? undefined : trash }), pointOfNoReturn: true },
    ],
    notes: [purge ? 'Its data and database are removed for good.' : kept],
    commit: (registry) => registry.deleteInstance(id),
  }
}

/** @throws ManagerError ERR_NOT_FOUND, ERR_PROTECTED. Source: wire-decisions, "rules". */
export function unprotected(
  request: Pick<Instance, 'id' | 'name'>,
  what: 'deleted' | 'reset',
  { registry }: ManagerContext,
): Instance {
  const instance = existing(registry, request)
  if (!instance.protected) return instance
  throw new ManagerError('ERR_PROTECTED', `Instance "${instance.name}" is protected and cannot be ${what}.`, {
    help: 'Take the protection away first.',
    command: `unprotect ${instance.name}`,
  })
}

/** Where an instance goes in the trash, and for how long. */
export async function trashFacts(
  { home, clock, settings, databases }: ManagerContext,
  instance: Instance,
  why: TrashFacts['reason'] | 'purge',
): Promise<Pick<DeleteFacts, 'trash' | 'entry' | 'record'>> {
  const { folder, settings: file } = home.instance(instance.id)
  const database = existsSync(file)
    ? await settings.instance(folder).then(({ databaseName: name, databaseUser: user }) => ({ name, user }))
    : databases.names(instance.database, instance.id)
  const now = clock()
  const entry = newEntryName(home, instance, now)
  const days = why === 'purge' ? 0 : settings.global.trashDays
  return {
    entry,
    trash: join(home.trash, entry),
    record: {
      format: 1,
      reason: why === 'purge' ? 'delete' : why,
      deleted: now.toISOString(),
      expires: new Date(now.getTime() + days * 86_400_000).toISOString(),
      instance: { ...instance, operation: '' },
      database,
    },
  }
}
