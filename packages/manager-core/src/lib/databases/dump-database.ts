import type { Readable } from 'node:stream'
import type { DirectDump, Dump, DumpOptions } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { instanceHomeAt } from '../domain/home.js'
import { isWebapp } from '../files/webapp.js'
import type { DatabaseContext, DumpKind, InstanceDatabase } from './instance-database.js'
import { applicationOf, dumpPortable, restorePortable } from './portable-dump.js'
import { isMissingTool } from './translated-server.js'

export type { DumpKind, InstanceDatabase } from './instance-database.js'

/** `kind` names the file: `db.<kind>.zst`. */
export type DatabaseDump = Dump & { readonly kind: DumpKind }

/**
 * Dumps with the vendor's program, without one in the portable format. Consistent while the instance runs.
 *
 * @throws ManagerError ERR_DATABASE, ERR_DISK
 */
export async function dumpDatabase(
  context: DatabaseContext,
  database: InstanceDatabase,
  options: DumpOptions = {},
): Promise<DatabaseDump> {
  const { databases } = context
  const { folder, settings } = database
  const type = settings.database
  try {
    const dump = await databases.server(type).dump(databases.account(folder, settings), options)
    return { ...dump, kind: type }
  } catch (error) {
    if (!isMissingTool(error) || isWebapp(instanceHomeAt(folder).app)) throw error
    return { ...dumpPortable(context, database, applicationOf(folder), options), kind: 'portable' }
  }
}

/**
 * The same by a program that writes to the given output; undefined: only `dumpDatabase` can.
 *
 * @throws ManagerError ERR_DATABASE
 */
export async function dumpDirectly(
  { databases }: DatabaseContext,
  { folder, settings }: InstanceDatabase,
): Promise<(DirectDump & { readonly kind: DumpKind }) | undefined> {
  const type = settings.database
  try {
    const dump = await databases.server(type).dumpDirectly?.(databases.account(folder, settings))
    return dump && { ...dump, kind: type }
  } catch (error) {
    if (!isMissingTool(error)) throw error
    return undefined
  }
}

/**
 * Puts a dump in place of what is in the database of an instance, which does not run and whose `app` is in place.
 *
 * @throws ManagerError ERR_DATABASE, ERR_DISK; the database is empty or half filled then, and it may be tried again.
 */
export async function restoreDatabase(
  context: DatabaseContext,
  database: InstanceDatabase,
  { kind, content }: { readonly kind: DumpKind; readonly content: Readable },
  options: DumpOptions = {},
): Promise<void> {
  const { folder, settings } = database
  if (kind !== 'portable' && kind !== settings.database)
    throw new ManagerError(
      'ERR_DATABASE',
      `A dump of ${kind} cannot be restored into a database of ${settings.database}.`,
    )
  // A file is replaced as a whole.
  if (kind === 'sqlite') await dropDatabase(context, database)
  else await emptyDatabase(context, database)
  if (kind === 'portable') return restorePortable(context, database, applicationOf(folder), content, options)
  const { databases } = context
  await databases.server(kind).restore(databases.account(folder, settings), content, options)
}

/** Also ends programs that a manager which was killed left at work on it. */
export async function emptyDatabase(
  context: Pick<DatabaseContext, 'databases'>,
  database: InstanceDatabase,
): Promise<void> {
  const { folder, settings } = database
  await dropDatabase(context, database)
  await context.databases.server(settings.database).create(context.databases.account(folder, settings))
}

async function dropDatabase(
  { databases }: Pick<DatabaseContext, 'databases'>,
  { folder, settings }: InstanceDatabase,
): Promise<void> {
  await databases.server(settings.database).drop(databases.account(folder, settings))
}
