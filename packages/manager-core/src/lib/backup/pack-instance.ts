import { join } from 'node:path'
import { dumpDatabase } from '../databases/dump-database.js'
import { whileSuspended } from '../instances/while-suspended.js'
import type { StepRun } from '../operation/operation.js'
import type { InstanceSettings } from '../settings/settings.js'
import type { Manifest, ManifestFile } from './backup.js'
import { databaseFiles } from './database-files.js'
import { storeCompressed } from './packing/store.js'
import { filesName } from './manifest.js'
import { packFolder } from './packing/pack.js'
import { bothOf } from './packing/program.js'

export interface PackInstanceOptions {
  readonly instance: { readonly id: string }
  /** Home of the instance. */
  readonly folder: string
  readonly settings: InstanceSettings
  /** Where the files go. */
  readonly target: string
  readonly consistency: Manifest['consistency']
  readonly onBytes: (total: number) => void
}

export type PackedInstance = Pick<Manifest, 'files' | 'tools' | 'warnings'>

/**
 * A dump whose program has given this much has begun its transaction: what comes before it (a comment of its version) is
 * shorter, and programs write in blocks of 4096 bytes.
 */
const begunBytes = 4096

/** Dumps the database and packs the files at a time. What it is frozen for is the dump's beginning and the files. */
export async function packInstance(run: StepRun, options: PackInstanceOptions): Promise<PackedInstance> {
  const { instance, folder, consistency } = options
  const warnings: string[] = []
  const warn = (text: string) => {
    warnings.push(text)
    run.warn(text)
  }
  const abort = new AbortController()
  const { signal } = abort
  const streamRun = { ...run, warn, signal: AbortSignal.any([run.signal, signal]) }
  let streams: Streams | undefined
  try {
    if (consistency === 'suspended')
      await whileSuspended({ ...run, warn }, { id: instance.id, folder }, async () => {
        streams = startStreams(streamRun, options)
        await Promise.all([streams.begun, streams.files])
      })
    const { database, files, tools } = (streams ??= startStreams(streamRun, options))
    return { files: await Promise.all([database, files]), tools: await tools, warnings }
  } catch (error) {
    // The other stream ends, and is waited for: nothing may write into a folder that is being removed.
    abort.abort(error)
    await Promise.allSettled([streams?.database, streams?.files])
    throw error
  }
}

interface Streams {
  readonly database: Promise<ManifestFile>
  readonly files: Promise<ManifestFile>
  /** The dump is of this moment, whatever is written from now on. */
  readonly begun: Promise<unknown>
  readonly tools: Promise<Readonly<Record<string, string>>>
}

function startStreams(run: StepRun, options: PackInstanceOptions): Streams {
  const done = { database: 0, files: 0 }
  let begin = () => {}
  const threshold = new Promise<void>((resolve) => (begin = resolve))
  const tell = (part: keyof typeof done) => (bytes: number) => {
    done[part] = bytes
    if (done.database >= begunBytes) begin()
    options.onBytes(done.database + done.files)
  }
  const dump = dumpDatabase(run.context, options, { signal: run.signal })
  const database = storeDatabase(run, options, dump, tell('database'))
  const files = storeFiles(run, options, tell('files'))
  const begun = Promise.race([threshold, database])
  const tools = dump.then((made) => made.tools)
  for (const each of [database, files, begun, tools]) each.catch(() => undefined)
  return { database, files, begun, tools }
}

async function storeDatabase(
  { signal }: StepRun,
  { target }: PackInstanceOptions,
  dumping: ReturnType<typeof dumpDatabase>,
  onBytes: (total: number) => void,
): Promise<ManifestFile> {
  const dump = await dumping
  const name = `db.${dump.kind}.zst`
  const [stored] = await bothOf(storeCompressed(dump.content, join(target, name), { signal, onBytes }), dump.done)
  return { name, ...stored }
}

async function storeFiles(
  { signal, warn }: StepRun,
  { folder, settings, target }: PackInstanceOptions,
  onBytes: (total: number) => void,
): Promise<ManifestFile> {
  const packing = await packFolder({
    folder,
    entries: ['app', 'data'],
    without: databaseFiles(folder, settings),
  })
  const [stored, warnings] = await bothOf(
    storeCompressed(packing.content, join(target, filesName), { signal, onBytes }),
    packing.done,
  )
  for (const warning of warnings) warn(warning)
  return { name: filesName, ...stored }
}
