import type { Readable } from 'node:stream'
import type { DatabaseType } from '../domain/instance.js'
import type { Dump, DumpOptions } from '@steward/db-adapters/server'
import type { ManagerContext } from '../context.js'
import type { InstanceSettings } from '../settings/settings.js'

/** An instance's database. `folder` is the instance's home, with the application in `app` when the dump is portable. */
export interface InstanceDatabase {
  readonly folder: string
  readonly settings: InstanceSettings
}

/** What a dump is made of: the vendor's format of a type, or the portable one of the application server. */
export type DumpKind = DatabaseType | 'portable'

/** `kind` names the file: `db.<kind>.zst`. */
export type DatabaseDump = Dump & { readonly kind: DumpKind }

type Context = Pick<ManagerContext, 'databases' | 'applicationServer'>

/** Dumps with the vendor's program, without one in the portable format. Consistent while the instance runs. @throws ManagerError */
export async function dumpDatabase(
  { databases }: Context,
  { folder, settings }: InstanceDatabase,
  options: DumpOptions = {},
): Promise<DatabaseDump> {
  const type = settings.database
  const dump = await databases.server(type).dump(databases.account(folder, settings), options)
  return { ...dump, kind: type }
}

/**
 * Fills the empty database of an instance, whose `app` is in place, from a dump.
 *
 * @throws ManagerError; the database may be empty or half filled then: drop and create it before trying again.
 */
export async function restoreDatabase(
  { databases }: Context,
  { folder, settings }: InstanceDatabase,
  { content }: { readonly kind: DumpKind; readonly content: Readable },
  options: DumpOptions = {},
): Promise<void> {
  await databases.server(settings.database).restore(databases.account(folder, settings), content, options)
}
