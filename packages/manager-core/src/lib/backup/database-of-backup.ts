import { PassThrough } from 'node:stream'
import { ManagerError } from '../../errors.js'
import { bothOf } from '../accounts/program.js'
import type { ManagerContext, StepRun } from '../context.js'
import { copyDatabase } from '../databases/copy-database.js'
import { restoreDatabase, type DumpKind, type InstanceDatabase } from '../databases/dump-database.js'
import { databaseTypes } from '../domain/instance.js'
import { newPassword } from '../domain/passwords.js'
import { Secret } from '../domain/secret.js'
import type { Manifest, ManifestFile } from './backup.js'
import { readContent } from './read-content.js'

const pattern = /^db\.([a-z]+)\.zst(?:\.age)?$/

/** @throws ManagerError ERR_BACKUP when there is none. */
export function databaseFileOf({ files, id }: Pick<Manifest, 'files' | 'id'>): {
  readonly file: ManifestFile
  readonly kind: DumpKind
} {
  const kinds: ReadonlySet<string> = new Set([...databaseTypes, 'portable'])
  for (const file of files) {
    const kind = pattern.exec(file.name)?.[1]
    if (kind !== undefined && kinds.has(kind)) return { file, kind: kind as DumpKind }
  }
  throw new ManagerError('ERR_BACKUP', `The database type of the backup ${id} is unknown to this manager.`)
}

export interface FillOptions {
  /** Folder of the backup. */
  readonly backup: string
  readonly manifest: Manifest
  /** Its empty database is filled; the backup's application is in its `app`. */
  readonly to: InstanceDatabase
  /** For a temporary database, when the types differ. */
  readonly temporary: { readonly folder: string; readonly name: string }
}

/** Fills an empty database from a backup; one of another type is restored beside and copied. */
export async function fillDatabase(run: StepRun, options: FillOptions): Promise<void> {
  const { manifest, to } = options
  const { kind } = databaseFileOf(manifest)
  if (kind === 'portable' || kind === to.settings.database) return restoreFrom(run, options, to)
  const { context } = run
  const { folder, name } = options.temporary
  const settings = {
    ...to.settings,
    database: kind,
    databaseName: kind === 'sqlite' ? 'data/other.db' : name,
    databaseUser: kind === 'sqlite' ? '' : name,
    databasePassword: kind === 'sqlite' ? new Secret('') : newPassword(),
  }
  const server = context.databases.server(kind)
  const account = context.databases.account(folder, settings)
  await server.drop(account)
  try {
    await server.create(account)
    await restoreFrom(run, options, { folder, settings })
    await copyDatabase(context, { from: { folder, settings }, to }, { signal: run.signal, warn: run.warn })
  } finally {
    await server.drop(account)
  }
}

/** Undo of a fill that was cut off: takes the database away that was there for a while. */
export async function dropTemporary(
  { databases }: Pick<ManagerContext, 'databases'>,
  kind: DumpKind,
  name: string,
): Promise<void> {
  if (kind === 'portable' || kind === 'sqlite') return
  await databases.server(kind).drop({ name, user: name, password: '' })
}

async function restoreFrom(
  run: StepRun,
  { backup, manifest }: Pick<FillOptions, 'backup' | 'manifest'>,
  to: InstanceDatabase,
): Promise<void> {
  const { context, signal } = run
  const { file, kind } = databaseFileOf(manifest)
  const onBytes = (bytes: number) => run.progress('Restore the database', { bytes, of: file.plainSize })
  const content = new PassThrough()
  const reading = readContent(context, { backup, manifest, file, signal, onBytes }, [content])
  // A reader at the end ends with that; one that stops reading has a reason of its own.
  reading.catch((error: Error) => content.destroy(error))
  const restoring = restoreDatabase(context, to, { kind, content }, { signal }).finally(() => content.destroy())
  await bothOf(reading, restoring)
}
