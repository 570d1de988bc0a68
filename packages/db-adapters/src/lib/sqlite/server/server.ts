import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import type { DatabaseServerTools } from '../../server/options.js'
import { DatabaseServerError } from '../../server/database-server.js'
import type {
  ChangedSince,
  DatabaseAccount,
  DatabaseExtent,
  DatabaseServer,
  DatabaseStatistics,
  Dump,
  DumpOptions,
} from '../../server/database-server.js'
import { createTools } from '../../server/find-tool.js'
import { progressOf } from '../../server/progress.js'
import { clientProgram } from '../../server/run-tool.js'
import { translateError } from './errors.js'
import { besides, copyFileOf, createFile, isEmptyFile, removeFiles, restoreFile } from './files.js'
import { openExisting, tablesOf } from './open.js'
import { takeSnapshot } from './snapshot.js'

const capabilities = Object.freeze({ users: false, onlineDump: true, toolDumps: false, server: false })

/** Databases that are files; needs no driver and no program but for `client`. A dump is the file itself. */
export function createSqliteServer(options: DatabaseServerTools = {}): DatabaseServer {
  const tools = createTools({ sqlite3: ['sqlite3'] }, options)
  return {
    type: 'sqlite',
    capabilities,
    probe: () => attempt('look for SQLite', async () => ({ server: version(), tools: tools.all() })),
    exists: (account) => attemptOn(account, 'look for', async (file) => (existsSync(file) ? 'yes' : 'no')),
    isEmpty: (account) => attemptOn(account, 'look into', async (file) => isEmptyFile(file)),
    create: (account) =>
      attemptOn(account, 'create', async (file) => {
        await mkdir(dirname(file), { recursive: true })
        await createFile(file)
      }),
    drop: (account) => attemptOn(account, 'remove', removeFiles),
    // A file belongs to the folder that it lies in.
    marks: async () => undefined,
    mark: async () => {},
    dump: (account, dumpOptions) => attemptOn(account, 'dump', (file) => dump(file, dumpOptions)),
    restore: (account, content, dumpOptions = {}) =>
      attemptOn(account, 'restore', (file) => restoreFile(file, content, dumpOptions)),
    copy: (from, to, dumpOptions = {}) => attemptOn(from, 'copy', (file) => copyFileOf(file, checked(to), dumpOptions)),
    url: (account) => `sqlite:${checked(account)}`,
    client: (account) =>
      attemptOn(account, 'open', async (file) =>
        clientProgram(tools.need('sqlite3'), [file], {}, tools.launch(account)),
      ),
    extent: (account) => attemptOn(account, 'look at', async (file) => extent(file)),
    statistics: (account) => attemptOn(account, 'count the rows of', async (file) => statistics(file)),
    changedSince: (account, since) =>
      attemptOn(account, 'count the changed rows of', async (file) => changedSince(file, since)),
    close: async () => {},
  }
}

async function dump(file: string, { signal, onProgress }: DumpOptions = {}): Promise<Dump> {
  const snapshot = await takeSnapshot(file, signal)
  const reading = snapshot.handle.createReadStream({
    autoClose: false,
    start: 0,
    end: Math.max(snapshot.bytes - 1, 0),
    highWaterMark: 2 ** 20,
  })
  const content = progressOf(onProgress)
  const checked = async function* (source: AsyncIterable<Buffer>) {
    yield* source
    // SQLite keeps it as long as it is; others may not.
    if (reading.bytesRead !== snapshot.bytes)
      throw new Error(`it has only ${reading.bytesRead} of its ${snapshot.bytes} bytes: it was cut while it was read`)
  }
  const done = pipeline(reading, checked, content, signal ? { signal } : {})
    .finally(() => snapshot.release())
    .catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : translateError(error, `dump "${file}"`)
    })
  done.catch(() => {})
  return { content, done, tools: { sqlite: version() } }
}

function extent(file: string): DatabaseExtent {
  const database = openExisting(file)
  try {
    return { tables: tablesOf(database), bytes: bytesOf(file) }
  } finally {
    database.close()
  }
}

function statistics(file: string): DatabaseStatistics {
  const database = openExisting(file)
  try {
    const rows = tablesOf(database).map((name) => {
      const quoted = `"${name.replaceAll('"', '""')}"`
      const { count } = database.prepare(`select count(*) as count from ${quoted}`).get() as { count: number }
      return [name, count] as const
    })
    return { rows: Object.fromEntries(rows), bytes: bytesOf(file) }
  } finally {
    database.close()
  }
}

function bytesOf(file: string): number {
  const sizes = ['', ...besides].map((suffix) => statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

function changedSince(file: string, { time, columns }: ChangedSince): Readonly<Record<string, number>> {
  const database = openExisting(file)
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  try {
    const counts = Object.entries(columns).flatMap(([table, column]) => {
      const found = database.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column)
      if (!found) return []
      const sql = `select count(*) as count from ${quoted(table)} where ${quoted(column)} >= ?`
      return [[table, Number(database.prepare(sql).get(time)?.['count'])] as const]
    })
    return Object.fromEntries(counts)
  } finally {
    database.close()
  }
}

function version(): string {
  const database = new DatabaseSync(':memory:')
  const { version: number } = database.prepare('select sqlite_version() as version').get() as { version: string }
  database.close()
  return `SQLite ${number}`
}

function checked({ name }: DatabaseAccount): string {
  if (isAbsolute(name) && !name.includes('\0')) return name
  throw new DatabaseServerError('ERR_FAILED', `"${name}" is not an absolute path of a database file.`)
}

function attemptOn<T>(account: DatabaseAccount, verb: string, work: (file: string) => Promise<T>): Promise<T> {
  return attempt(`${verb} "${account.name}"`, () => work(checked(account)))
}

async function attempt<T>(text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error, text)
  }
}
