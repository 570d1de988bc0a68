import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DatabaseServerError } from '../database-server.js'
import type { Dump, DumpOptions } from '../database-server.js'
import { formatName, formatVersion } from './format.js'
import type { DescribeDatabase, DescribedTable, DumpEnd, DumpHeader, TableHeader, TableSession } from './format.js'

export interface TableDump extends DumpOptions {
  readonly type: DumpHeader['type']
  /** Ended here. */
  readonly session: TableSession
  readonly describe: DescribeDatabase
  readonly translate: (error: unknown) => Error
}

/** Characters that are written at once. */
const chunkLength = 65_536

/** A dump of all tables as they are at one moment, while others write. Memory stays flat. */
export function dumpTables({ type, session, describe, translate, signal, onProgress }: TableDump): Dump {
  const content = new PassThrough()
  // A reader gets the error, too; there may be none.
  content.on('error', () => {})
  const end = () => void session.end().catch(() => {})
  signal?.addEventListener('abort', end, { once: true })
  // The query that is under way.
  content.once('close', end)
  const done = pipeline(chunks, content).catch((error: unknown) => {
    throw reasonOf(error)
  })
  done.catch(() => {})
  return { content, done, tools: { [formatName]: `${formatVersion}.0` } }

  async function* chunks(): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    let text = ''
    let bytes = 0
    const flush = () => {
      const chunk = Buffer.from(text)
      text = ''
      onProgress?.((bytes += chunk.length))
      return chunk
    }
    try {
      signal?.throwIfAborted()
      const counts: Record<string, number> = {}
      for await (const line of lines(counts)) {
        hash.update(line)
        text += line
        if (text.length >= chunkLength) yield flush()
      }
      text += lineOf({ end: counts, sha256: hash.digest('hex') } satisfies DumpEnd)
      yield flush()
    } catch (error) {
      throw reasonOf(error)
    } finally {
      signal?.removeEventListener('abort', end)
      end()
    }
  }

  async function* lines(counts: Record<string, number>): AsyncGenerator<string> {
    const { server, before, tables, after } = await describe(session.run)
    const created = new Date().toISOString()
    yield lineOf({ format: formatName, version: formatVersion, type, server, created } satisfies DumpHeader)
    for (const run of before) yield lineOf({ run })
    for (const table of tables) {
      for (const run of table.before) yield lineOf({ run })
      yield lineOf(headerOf(table))
      counts[table.table] = 0
      const columns = table.columns.map(({ read }) => read).join(', ')
      // A table may have no column of its own.
      if (table.columns.length > 0)
        for await (const batch of session.rows(`select ${columns} from ${table.into}`)) {
          for (const row of batch) yield lineOf(row.map(dumped))
          counts[table.table] = (counts[table.table] ?? 0) + batch.length
        }
      for (const run of table.after) yield lineOf({ run })
    }
    for (const run of after) yield lineOf({ run })
  }

  function reasonOf(error: unknown): Error {
    return signal?.aborted ? (signal.reason as Error) : translate(error)
  }
}

function headerOf({ table, into, columns }: DescribedTable): TableHeader {
  return { table, into, columns: columns.map(({ column, kind, write }) => ({ column, kind, write })) }
}

function dumped(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (typeof value === 'string') return value
  // JSON has no -0.
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : dumpedOdd(value)
  throw new DatabaseServerError('ERR_FAILED', `A value of the kind "${typeof value}" cannot be dumped.`)
}

function dumpedOdd(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
