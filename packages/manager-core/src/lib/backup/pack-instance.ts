import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createTail, type Tail } from '@steward/db-adapters/server'
import { ManagerError } from '../../errors.js'
import { accountAt } from '../accounts/account.js'
import { bothOf } from '../accounts/program.js'
import { closedError, visitTree } from '../accounts/visit-tree.js'
import type { StepRun } from '../context.js'
import { databaseFiles } from '../databases/database-files.js'
import { dumpDatabase, dumpDirectly } from '../databases/dump-database.js'
import type { DocumentBucket } from '../documents/bucket.js'
import { packDocuments } from '../documents/pack-documents.js'
import { instanceHomeAt, tokenKey } from '../domain/home.js'
import { syncPath } from '../files/tree.js'
import { whileSuspended } from '../instances/while-suspended.js'
import type { InstanceSettings } from '../settings/settings.js'
import type { Manifest, ManifestFile } from './backup.js'
import type { CountedRows, RowCounter } from './count-rows.js'
import { documentsBase, fileNameOf, filesBase, settingsBase } from './manifest.js'
import type { Seal } from './packing/age.js'
import { isPlainName } from './packing/check-entries.js'
import type { Measures } from './packing/read-options.js'
import { storeCompressed } from './packing/store.js'
import { storeDump } from './packing/store-dump.js'
import { storeFolder } from './packing/store-folder.js'
import { packingTools } from './packing/tools.js'
import { storingPrograms } from './packing/zstd.js'
import { tarOf, verifyFile } from './verify-backup.js'

export interface PackInstanceOptions {
  readonly instance: { readonly id: string }
  /** Home of the instance. */
  readonly folder: string
  readonly settings: InstanceSettings
  /** Where the files go. */
  readonly target: string
  readonly consistency: Manifest['consistency']
  /** Absent: the files are not encrypted. */
  readonly seal?: Seal | undefined
  /** Also its settings, and the key of its tokens. */
  readonly secrets: boolean
  /** Where its documents are. Default: among its files. */
  readonly bucket?: DocumentBucket | undefined
  /** Counts its rows; they are counted again while it is dumped. */
  readonly rows: RowCounter
  /** Bytes before compression, so far: each counts when it is packed, and once more when it is read back. */
  readonly onBytes: (total: number) => void
}

/** In a warning. */
const mostNames = 3

export type PackedInstance = Pick<Manifest, 'files' | 'tools' | 'warnings'> & CountedRows

/**
 * A dump whose program has given this much has started its transaction: what comes before it (a comment of its version) is
 * shorter, and programs write in blocks of 4096 bytes.
 */
const begunBytes = 4096

/**
 * Dumps the database and packs the files at the same time, and reads both back. What it is frozen for is the dump's start
 * and the packing of the files: then nothing is read back, which would slow it down, else while it is written. Documents of
 * a bucket are packed before; it is frozen for those that come meanwhile.
 */
export async function packInstance(run: StepRun, options: PackInstanceOptions): Promise<PackedInstance> {
  const { instance, folder, consistency, rows } = options
  const warnings: string[] = []
  const warn = (text: string) => {
    warnings.push(text)
    run.warn(text)
  }
  const abort = new AbortController()
  const streamRun = { ...run, warn, signal: AbortSignal.any([run.signal, abort.signal]) }
  const progress = createProgress(options.onBytes)
  const documents = options.bucket && storeDocuments(streamRun, options, options.bucket, progress.tell('documents'))
  let streams: Streams | undefined
  let counting: Promise<unknown> | undefined
  const reading: Promise<ManifestFile>[] = []
  try {
    await documents?.caughtUp
    if (consistency === 'suspended')
      await whileSuspended({ ...run, warn }, { id: instance.id, folder }, async () => {
        streams = startStreams(streamRun, options, progress)
        const files = streams.files.then(({ end }) => end)
        await Promise.all([streams.begun, files, rows.countFrozen(), documents?.finish()])
      })
    const { database, files, begun, tools } = (streams ??= startStreams(streamRun, options, progress))
    if (documents && consistency !== 'suspended') await begun.then(() => documents.finish())
    const { tell } = progress
    if (consistency !== 'stopped') counting = begun.then(() => rows.countAgain(warn))
    reading.push(
      readBack(streamRun, options, database, tell('database read')),
      readBack(streamRun, options, files, tell('files read')),
    )
    if (documents) reading.push(readBack(streamRun, options, documents.storing, tell('documents read')))
    if (options.secrets) reading.push(readBack(streamRun, options, storeSettings(streamRun, options)))
    const [packed] = await Promise.all([Promise.all(reading), counting])
    return { files: packed, tools: await tools, warnings, ...rows.counted() }
  } catch (error) {
    // The others end, and are waited for: nothing may write into a folder that is being removed.
    abort.abort(error)
    const ends = [streams?.database, streams?.files, documents?.storing].map((storing) =>
      storing?.then(({ end }) => end),
    )
    await Promise.allSettled([...ends, ...reading, counting])
    throw error
  }
}

/** A file that is being written. */
interface Storing {
  readonly name: string
  /** Resolves when it is whole, with what is known of it. */
  readonly end: Promise<Partial<Measures>>
}

interface StoringDatabase extends Storing {
  /** Programs with their versions. */
  readonly tools: Readonly<Record<string, string>>
  /** Looks for the dump's end, when nothing else does. */
  readonly tail?: Tail
}

interface Streams {
  readonly database: Promise<StoringDatabase>
  readonly files: Promise<Storing>
  /** The dump is of this moment, whatever is written from now on. */
  readonly begun: Promise<unknown>
  readonly tools: Promise<Readonly<Record<string, string>>>
}

/** How far the parts are. */
function createProgress(onBytes: (total: number) => void) {
  const done = { database: 0, files: 0, documents: 0, 'database read': 0, 'files read': 0, 'documents read': 0 }
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  /** Takes how far a part is, in bytes. */
  const tell = (part: keyof typeof done) => (bytes: number) => {
    done[part] = bytes
    // A program that writes it directly reports nothing.
    done.database = Math.max(done.database, done['database read'])
    if (done.database >= begunBytes) begin()
    onBytes(Object.values(done).reduce((sum, each) => sum + each))
  }
  /** Resolves when the dump has started, or is known to have started. */
  return { tell, begun, begin }
}

function startStreams(
  run: StepRun,
  options: PackInstanceOptions,
  progress: ReturnType<typeof createProgress>,
): Streams {
  const { tell, begin } = progress
  const database = storeDatabase(run, options, { onBytes: tell('database'), onBegun: begin })
  const files = storeFiles(run, options, tell('files'))
  const begun = Promise.race([progress.begun, database.then(({ end }) => end)])
  const tools = database.then((made) => made.tools)
  for (const each of [database, files, begun, tools]) each.catch(() => undefined)
  return { database, files, begun, tools }
}

async function storeDatabase(
  { context, signal, warn }: StepRun,
  options: PackInstanceOptions,
  { onBytes, onBegun }: { readonly onBytes: (total: number) => void; readonly onBegun: () => void },
): Promise<StoringDatabase> {
  const { target, seal } = options
  const encrypt = await seal?.encryptor()
  const programs = await storingPrograms(encrypt)
  const direct = programs && (await dumpDirectly(context, options))
  const dump = direct ?? (await dumpDatabase(context, options, { signal }))
  const { kind, tools } = dump
  if ('warnings' in dump) for (const warning of dump.warnings ?? []) warn(warning)
  const name = fileNameOf(`db.${kind}`, { encryption: seal?.encryption })
  const file = await createFile(join(target, name))
  // If a program ended otherwise, nothing resolves; SQLite's files are read by this process.
  const codes = Object.fromEntries(kind === 'sqlite' ? [] : Object.keys(tools).map((tool) => [tool, 0]))
  const stored =
    'into' in dump
      ? storeDump(dump, file, programs ?? [], { signal, onBegun }).then((exitCodes) => ({ exitCodes }))
      : bothOf(storeCompressed(dump.content, file, { signal, onBytes, encrypt }), dump.done).then(([made]) => made)
  const end = stored.then((measures) => ({ ...measures, exitCodes: { ...codes, ...measures.exitCodes } }))
  return { ...storing(name, end), tools, ...(direct && { tail: createTail(direct.trailer) }) }
}

async function storeFiles(
  { signal, warn }: StepRun,
  { folder, settings, target, seal, secrets }: PackInstanceOptions,
  onBytes: (total: number) => void,
): Promise<Storing> {
  const without = [...databaseFiles(folder, settings), ...(secrets ? [] : [tokenKey])]
  const account = accountAt(folder)
  const entries = ['app', 'data']
  const hasTar = (await packingTools()).tar !== undefined
  const odd: string[] = []
  const survey = await visitTree({ folder, entries, without, reader: account, signal }, ({ path }) => {
    if (!hasTar && odd.length < mostNames && !isPlainName(path)) odd.push(JSON.stringify(path))
  })
  if (odd.length > 0) warn(`Only GNU tar can unpack ${odd.join(', ')}: install it before you restore this backup.`)
  const packed = { folder, entries, without: [...without, ...survey.leftOut], account }
  const name = fileNameOf(filesBase, { encryption: seal?.encryption })
  const file = await createFile(join(target, name))
  const encrypt = await seal?.encryptor()
  const stored = storeFolder(packed, file, { signal, onBytes, encrypt }).then(
    ({ measures, warnings }) => {
      for (const warning of [...survey.warnings, ...warnings]) warn(warning)
      return measures
    },
    (error: unknown) => {
      throw closedError(survey, error)
    },
  )
  return storing(name, stored)
}

function storeDocuments(
  { signal }: StepRun,
  { target, seal }: PackInstanceOptions,
  bucket: DocumentBucket,
  onBytes: (total: number) => void,
) {
  const packing = packDocuments(bucket, { signal })
  const store = async () => {
    const name = fileNameOf(documentsBase, { encryption: seal?.encryption })
    const file = await createFile(join(target, name))
    return storing(name, storeCompressed(packing.content, file, { signal, onBytes, encrypt: await seal?.encryptor() }))
  }
  const stored = store()
  stored.catch(() => undefined)
  // Nothing is packed any more when it cannot be stored.
  const unlessEnded = <T>(work: Promise<T>) => Promise.race([work, stored.then(({ end }) => end)])
  const caughtUp = unlessEnded(packing.caughtUp)
  caughtUp.catch(() => undefined)
  return { storing: stored, caughtUp, finish: () => unlessEnded(packing.finish()) }
}

/** As they are on the disk. */
async function storeSettings({ signal }: StepRun, { folder, target, seal }: PackInstanceOptions): Promise<Storing> {
  const name = fileNameOf(settingsBase, { encryption: seal?.encryption })
  const content = createReadStream(instanceHomeAt(folder).settings)
  const file = await createFile(join(target, name))
  return storing(name, storeCompressed(content, file, { signal, encrypt: await seal?.encryptor() }))
}

const createFile = (path: string) => open(path, 'wx', 0o600)

function storing(name: string, end: Storing['end']): Storing {
  end.catch(() => undefined)
  return { name, end }
}

/** Meanwhile it comes onto the disk. @throws ManagerError ERR_DATABASE for a dump whose end is missing */
async function readBack(
  { signal }: StepRun,
  { target, seal }: PackInstanceOptions,
  file: Promise<Storing & Pick<StoringDatabase, 'tail'>>,
  onBytes?: (total: number) => void,
): Promise<ManifestFile> {
  const { name, end, tail } = await file
  const [found] = await Promise.all([
    verifyFile(target, name, { signal, onBytes, tar: tarOf(name), tail, opener: seal?.opener, end }),
    end.then(() => syncPath(join(target, name))),
  ])
  if (tail?.isComplete() === false)
    throw new ManagerError('ERR_DATABASE', `${Object.keys(found.exitCodes ?? {})[0]} did not write a complete dump.`)
  return found
}
