import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagerContext } from '../context.js'
import type { Instance } from '../domain/instance.js'
import { newEntryName } from './trash.js'
import type { TrashFacts } from './trash-step.js'

export type TrashMove = {
  /** Home of the instance. */
  readonly folder: string
  /** It has changed: the settings, or all of it, were removed. */
  readonly lost: boolean
  /** Where it goes, absolute. */
  readonly trash: string
  /** Its name there. */
  readonly entry: string
  readonly record: TrashFacts
}

/** Where an instance goes in the trash, and for how long; for `purge` not at all. */
export async function moveToTrash(
  { home, clock, settings, databases }: ManagerContext,
  instance: Instance,
  why: TrashFacts['reason'] | 'purge',
): Promise<TrashMove> {
  const { folder, settings: file } = home.instance(instance.id)
  const lost = !existsSync(file)
  const database = lost
    ? databases.names(instance.database, instance.id)
    : await settings.instance(folder).then(({ databaseName: name, databaseUser: user }) => ({ name, user }))
  const now = clock()
  const entry = newEntryName(home, instance, now)
  const days = why === 'purge' ? 0 : settings.global.trashDays
  return {
    folder,
    lost,
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
