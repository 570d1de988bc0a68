import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { DatabaseServerError } from '../database-server.js'
import type { DumpOptions } from '../database-server.js'
import { formatName, formatVersion } from './format.js'
import type { DumpEnd, DumpHeader, DumpedColumn, DumpedStatement, InsertedValue } from './format.js'
import type { TableHeader, TableSession } from './format.js'

export interface TableLoad extends DumpOptions {
  readonly type: DumpHeader['type']
  /** In an empty database. Ended here. */
  readonly session: TableSession
  readonly content: Readable
}

/** Most of one insert. */
const batchRows = 1000
const batchLength = 1_000_000

/**
 * Makes the tables of a dump, and fills them. Memory stays flat. When it fails, what was done by then is left.
 *
 * @throws DatabaseServerError ERR_FAILED that names the line, also for a dump that was cut off; errors of the driver, untranslated
 */
export async function loadTables({ type, session, content, signal, onProgress }: TableLoad): Promise<void> {
  const hash = createHash('sha256')
  const counts: Record<string, number> = {}
  let number = 0
  let bytes = 0
  let table: TableHeader | undefined
  let batch: InsertedValue[][] = []
  let length = 0
  let ended = false
  const end = () => {
    content.destroy()
    void session.end().catch(() => {})
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', end, { once: true })
  try {
    // Only when it is needed: that is most of what a process that uses another kind of dump would load.
    const { readLines } = await import('@steward/rest-core')
    for await (const text of readLines(counted())) {
      number++
      if (ended) throw wrong('there is text after its end')
      const value = parse(text)
      if (number === 1) checkHeader(value)
      else if (Array.isArray(value)) await addRow(value as unknown[], text.length)
      else await runOrBegin(value as Partial<DumpedStatement & TableHeader & DumpEnd>)
      if (!ended) hash.update(text).update('\n')
    }
    if (!ended) throw wrong('it is incomplete')
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    // TextDecoder
    if ((error as { code?: string }).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw wrong('it is not valid UTF-8')
    throw error
  } finally {
    signal?.removeEventListener('abort', end)
    await session.end().catch(() => {})
  }

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      onProgress?.((bytes += chunk.length))
      yield chunk
    }
  }

  async function runOrBegin(value: Partial<DumpedStatement & TableHeader & DumpEnd> | null): Promise<void> {
    await flush()
    if (typeof value?.run === 'string') await session.run(value.run)
    else if (value?.end) checkEnd(value as DumpEnd)
    else if (typeof value?.table === 'string' && typeof value.into === 'string' && Array.isArray(value.columns)) {
      if (counts[value.table] !== undefined) throw wrong(`the table "${value.table}" comes twice`)
      counts[value.table] = 0
      table = value as TableHeader
    } else throw wrong('the line is no statement, no table and no row')
  }

  async function addRow(row: readonly unknown[], rowLength: number): Promise<void> {
    if (!table || row.length !== table.columns.length) throw wrong('the row has other columns than its table')
    batch.push(table.columns.map((column, at) => inserted(column, row[at])))
    counts[table.table] = (counts[table.table] ?? 0) + 1
    length += rowLength
    if (batch.length === batchRows || length >= batchLength) await flush()
  }

  async function flush(): Promise<void> {
    if (!table || batch.length === 0) return
    const rows = batch
    batch = []
    length = 0
    await session.insert(table, rows)
  }

  function inserted({ kind }: DumpedColumn, value: unknown): InsertedValue {
    if (value === null) return null
    if (kind === 'double' && (typeof value === 'number' || typeof value === 'string')) return Number(value)
    if (typeof value !== 'string') throw wrong('a value is no text')
    return kind === 'bytes' ? Buffer.from(value, 'base64') : value
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw wrong('the line is damaged, or the dump is incomplete')
    }
  }

  function checkHeader(value: unknown): void {
    const { format, version, type: dumped } = (value ?? {}) as Partial<DumpHeader>
    if (format !== formatName) throw wrong('it is not a dump of tables')
    if (version !== formatVersion) throw wrong(`its format has version ${version}; this program knows ${formatVersion}`)
    if (dumped !== type) throw wrong(`it is of a database of the type "${dumped}", not "${type}"`)
  }

  function checkEnd({ end: rows, sha256 }: DumpEnd): void {
    ended = true
    for (const name of new Set([...Object.keys(rows), ...Object.keys(counts)]))
      if (rows[name] !== counts[name])
        throw wrong(`it has ${counts[name] ?? 'no'} rows of ${name}, and says that it has ${rows[name] ?? 'none'}`)
    if (sha256 !== hash.digest('hex')) throw wrong('it is not what was written: its checksum differs')
  }

  function wrong(what: string): DatabaseServerError {
    return new DatabaseServerError('ERR_FAILED', `The dump cannot be restored, line ${Math.max(number, 1)}: ${what}.`)
  }
}
