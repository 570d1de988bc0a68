import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { ManagerError } from '../../errors.js'
import type { ManagerContext } from '../context.js'
import { copyDatabase } from '../databases/copy-database.js'
import { restoreDatabase, type DumpKind, type InstanceDatabase } from '../databases/dump-database.js'
import { databaseTypes } from '../domain/instance.js'
import { Secret } from '../domain/secret.js'
import { newPassword } from '../instances/passwords.js'
import type { StepRun } from '../operation/operation.js'
import type { Manifest, ManifestFile } from './backup.js'
import { openerOf } from './encryption.js'
import { decryptor } from './packing/age.js'
import { createMeter } from './packing/meter.js'
import { bothOf, pipeThrough } from './packing/program.js'
import { decompressor } from './packing/zstd.js'

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
  throw new ManagerError('ERR_BACKUP', `The backup ${id} has no database that this manager knows.`)
}

export interface FillOptions {
  /** Folder of the backup. */
  readonly backup: string
  readonly manifest: Manifest
  /** Its empty database is filled; the backup's application is in its `app`. */
  readonly to: InstanceDatabase
  /** Of a database that is there for a while only, when the types differ. */
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
    databaseName: kind === 'sqlite' ? 'other.db' : name,
    databaseUser: kind === 'sqlite' ? '' : name,
    databasePassword: kind === 'sqlite' ? new Secret('') : newPassword(),
  }
  const server = context.databases.server(kind)
  const account = context.databases.account(folder, settings)
  await server.drop(account)
  try {
    await server.create(account)
    await restoreFrom(run, options, { folder, settings })
    await copyDatabase(context, { from: { folder, settings }, to }, { signal: run.signal })
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

/** What is read is measured once more: the disk may have changed its mind since it was verified. */
async function restoreFrom(
  run: StepRun,
  { backup, manifest }: Pick<FillOptions, 'backup' | 'manifest'>,
  to: InstanceDatabase,
): Promise<void> {
  const { context, signal } = run
  const { file, kind } = databaseFileOf(manifest)
  const { name, plainSize, plainSha256 } = file
  const opener = await openerOf(manifest, context.settings.global.backupEncryption)
  const filter = await decompressor(opener && (await decryptor(opener)))
  const meter = createMeter((bytes) => run.progress('Restore the database', { bytes, of: plainSize }))
  const content = new PassThrough()
  const source = createReadStream(join(backup, name))
  // Whoever stops reading has a reason of its own.
  const restoring = restoreDatabase(context, to, { kind, content }, { signal }).finally(() => content.destroy())
  await bothOf(pipeThrough(filter, [source], [meter.stream, content], signal), restoring)
  const { size, sha256 } = meter.measure()
  if (size !== plainSize || sha256 !== plainSha256)
    throw new ManagerError('ERR_BACKUP', `The backup is damaged: ${join(backup, name)} gave other bytes than before.`)
}
