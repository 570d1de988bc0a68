import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Model, ObjectStore, WriteText } from '@steward/rest-core'
import { dumpRecords, loadRecords } from '@steward/rest-core'
import { loadModel } from './model-of.js'
import { openDatabase } from './open-database.js'
import type { DatabaseOptions } from './open-database.js'
import { migrationsOf, prepareTables } from './prepare-tables.js'
import { SettingsError } from './settings.js'

/** Where a dump goes to or comes from: a file, or `-` for standard output or input. */
export interface PortableFlags {
  readonly dump?: string
  readonly load?: string
}

type ApplicationFolder = Omit<DatabaseOptions, 'introspect'>

/** Between two lines of progress. */
const progressMs = 1_000

/**
 * Writes all records of the application, or fills its empty database with those of a dump; nothing is served. Progress
 * goes to standard error.
 *
 * @throws SettingsError, RestError, StoreError: each says what to do.
 */
export async function runPortable(application: ApplicationFolder, { dump, load }: PortableFlags): Promise<void> {
  if (dump !== undefined && load !== undefined) throw new SettingsError('Give --dump or --load, not both.')
  const model = await loadModel(application.folder, application.definition)
  await mkdir(application.dataFolder, { recursive: true })
  const store = await openDatabase({ ...application, introspect: false })
  try {
    if (dump !== undefined) await dumpTo(dump, application, model, store)
    else if (load !== undefined) await loadFrom(load, application, model, store)
  } finally {
    await store.close()
  }
}

async function dumpTo(target: string, application: ApplicationFolder, model: Model, store: ObjectStore) {
  const { steps, leftover } = await store.plan(model)
  const { pending = [] } = (await migrationsOf(store, { ...application, introspect: false })) ?? {}
  const missing = [...pending.map(({ name }) => `migration ${name}`), ...steps.map(({ description }) => description)]
  if (missing.length > 0) {
    const first = missing[0] ?? ''
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : ''
    throw new SettingsError(
      `The database is not in step with the application (${first}${more}); start the application once, then dump it.`,
    )
  }
  for (const { table, column } of leftover)
    process.stderr.write(`No field uses ${table}.${column}; it is not in the dump.\n`)
  const { name, version } = application.definition
  const records = (write: WriteText) =>
    dumpRecords({ model, store, application: { name, version }, onProgress: createProgress() }, write)
  if (target === '-') return tell('dumped', await records(writerTo(process.stdout)))
  // Hashes of passwords are in it.
  const part = `${target}.part`
  const file = await open(part, 'w', 0o600)
  try {
    const counts = await records((text) => file.appendFile(text))
    await file.sync()
    await file.close()
    await rename(part, target)
    tell('dumped', counts)
  } catch (error) {
    await file.close()
    await rm(part, { force: true })
    throw error
  }
}

function writerTo(output: Writable): WriteText {
  let failed: Error | undefined
  output.on('error', (error) => (failed = error))
  return async (text) => {
    if (!failed && !output.write(text)) await Promise.race([once(output, 'drain'), once(output, 'close')])
    if (failed) throw new Error('The reader of the dump has gone.', { cause: failed })
  }
}

async function loadFrom(
  source: string,
  application: ApplicationFolder,
  model: Model,
  store: ObjectStore,
): Promise<void> {
  // The records are those after the migrations, which find empty tables here.
  await prepareTables(store, model, { ...application, introspect: false, destructive: false })
  const input = source === '-' ? process.stdin : createReadStream(source)
  const counts = await loadRecords({ model, store, onProgress: createProgress() }, input)
  tell('loaded', counts)
}

function tell(done: string, counts: Readonly<Record<string, number>>): void {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  process.stderr.write(`${rows} records ${done}.\n`)
}

function createProgress(): (object: string, rows: number) => void {
  let told = performance.now()
  return (object, rows) => {
    if (performance.now() - told < progressMs) return
    told = performance.now()
    process.stderr.write(`${object}: ${rows} records\n`)
  }
}
