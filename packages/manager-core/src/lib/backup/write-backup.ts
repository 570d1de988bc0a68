import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '../accounts/places.js'
import { removeTree } from '../accounts/remove-tree.js'
import type { StepRun } from '../context.js'
import { useBucket, type DocumentBucket } from '../documents/bucket.js'
import { filesIn, measureFiles } from '../documents/document-files.js'
import type { Instance } from '../domain/instance.js'
import { fileError } from '../files/file-error.js'
import { folderSize } from '../files/folder-size.js'
import { syncPath } from '../files/tree.js'
import { checkSpace } from '../instances/inspect-creation.js'
import type { Manifest } from './backup.js'
import { createRowCounter } from './count-rows.js'
import { sealOf } from './encryption.js'
import { expectedBytes } from './expected-bytes.js'
import { manifestName, manifestText } from './manifest.js'
import { packInstance } from './pack-instance.js'
import type { Seal } from './packing/age.js'
import { packingTools } from './packing/tools.js'

export interface WriteBackupOptions {
  readonly instance: Instance
  /** Home of the instance. */
  readonly folder: string
  /** Absolute; a new folder. */
  readonly target: string
  /** The last part of the key. */
  readonly id: string
  readonly consistency: Manifest['consistency']
  /** See `SaveStepsOptions`. */
  readonly secrets: boolean
  readonly encrypt: boolean
}

/** Everything of an instance into a folder that is complete, read back and on the disk when this resolves. */
export async function writeBackup(run: StepRun, options: WriteBackupOptions): Promise<Manifest> {
  const { target } = options
  await removeTree(target)
  try {
    await makeFolder(dirname(target), 0o700)
    await mkdir(target, { mode: 0o700 })
    return await write(run, options)
  } catch (error) {
    await removeTree(target)
    throw fileError(error, `Cannot back up "${options.instance.name}" to ${dirname(target)}`)
  }
}

async function write(run: StepRun, options: WriteBackupOptions): Promise<Manifest> {
  const { context, signal } = run
  const { instance, folder, target, id, consistency, secrets, encrypt } = options
  const { global } = context.settings
  const started = context.clock().toISOString()
  const settings = await context.settings.instance(folder)
  const server = context.databases.server(settings.database)
  const { server: serverVersion } = await server.probe(signal)
  const account = context.databases.account(folder, settings)
  const rows = await createRowCounter(() => server.statistics(account), global.suspendMaxMs)
  const { documents } = settings
  const ofFiles = rows.first.bytes + (await folderSize(join(folder, 'app'))) + (await folderSize(join(folder, 'data')))
  const pack = async (bucket?: DocumentBucket) => {
    const of = ofFiles + (bucket ? (await measureFiles(filesIn(bucket, signal))).bytes : 0)
    await checkSpace(dirname(target), await expectedBytes(context, instance.name, of))
    const files = 2 + (secrets ? 1 : 0) + (bucket ? 1 : 0)
    const seal = encrypt ? await sealOf(global.backupEncryption, files) : undefined
    const onBytes = (bytes: number) => run.progress('Back up and verify', { bytes: bytes / 2, of })
    return { seal, ...(await packInstance(run, { ...options, settings, seal, bucket, rows, onBytes })) }
  }
  const packed = documents === undefined ? await pack() : await useBucket(context, documents, pack)
  const { seal, files, tools, warnings, ...counted } = packed
  const template = context.registry.versions().find(({ version }) => version === instance.version)
  const manifest: Manifest = {
    format: documents === undefined ? 1 : 2,
    id,
    instance: backedUp(instance),
    ...(template !== undefined && { template: template.location }),
    database: { type: settings.database, server: serverVersion, ...counted },
    started,
    finished: context.clock().toISOString(),
    consistency,
    ...(seal && { encryption: seal.encryption }),
    ...(secrets && { secrets }),
    ...(settings.neutralised && { neutralised: true as const }),
    files,
    tools: { ...(await namesOfTools(files, seal)), ...tools },
    warnings,
  }
  const file = join(target, manifestName)
  await writeFile(file, manifestText(manifest), { mode: 0o400, flush: true })
  for (const { name } of manifest.files) await chmod(join(target, name), 0o400)
  await syncPath(target)
  return manifest
}

/** With the version that its application is of, whatever was recorded for its next upgrade. */
function backedUp({
  observed: _observed,
  operation: _operation,
  port: _port,
  proved: _proved,
  heldRevision: _heldRevision,
  host: _host,
  installedVersion,
  ...instance
}: Instance): Manifest['instance'] {
  return installedVersion === '' ? instance : { ...instance, version: installedVersion }
}

async function namesOfTools(files: Manifest['files'], seal: Seal | undefined): Promise<Record<string, string>> {
  const { tar, zstd, age } = await packingTools()
  const isByProgram = files.some(({ exitCodes = {} }) => 'age' in exitCodes)
  return {
    ...(tar !== undefined && { tar: `GNU tar ${tar}` }),
    ...(zstd !== undefined && { zstd: `zstd ${zstd}` }),
    ...(seal && { age: isByProgram ? `age ${age}` : 'age-encryption' }),
    node: process.version,
  }
}
