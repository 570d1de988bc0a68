import type { AggregateRow, BusinessRecord, IndexHit, Query, ReadableField, Selection } from '@steward/rest-core'
import { batchBytes, defaultLongLength, isJoined, memoryLimits, sizeOf } from '@steward/rest-core'
import type BetterSqlite3 from 'better-sqlite3'
import { decodeGroups } from '../../sql/aggregate.js'
import { decodeHits } from '../../sql/index-search.js'
import type { BoundStatement, Statement } from '../../sql/statement.js'
import { decimalSum, decimalSumName } from './decimal-text.js'
import type { Driver } from './driver.js'
import { isLong } from './dialect.js'
import { stopCheckName } from './stop-check.js'

type Prepared = BetterSqlite3.Statement

export interface ConnectionOptions {
  readonly filename: string
  readonly readOnly: boolean
  readonly synchronous: 'normal' | 'full'
}

/** One connection on this thread. Its methods throw what the driver throws. */
export class SqliteConnection {
  readonly raw: BetterSqlite3.Database
  /** Bounded by the compiler's cache: what it forgets is collected here too. */
  readonly #prepared = new WeakMap<Statement, Prepared>()

  /** @param raw An open database; it gets the functions that statements need. */
  constructor(raw: BetterSqlite3.Database) {
    this.raw = raw
    raw.aggregate(decimalSumName, decimalSum)
    // No caller could ask for an end meanwhile.
    raw.function(stopCheckName, () => 1)
  }

  static open(driver: Driver, { filename, readOnly, synchronous }: ConnectionOptions): SqliteConnection {
    // No waiting inside SQLite: it would stop this thread. Who meets a lock tries again later.
    const raw = new driver(filename, { readonly: readOnly, timeout: 0 })
    try {
      SqliteConnection.prepare(raw, { readOnly, synchronous })
      return new SqliteConnection(raw)
    } catch (error) {
      raw.close()
      throw error
    }
  }

  /** Sets what statements need. */
  static prepare(
    raw: BetterSqlite3.Database,
    { readOnly, synchronous }: Pick<ConnectionOptions, 'readOnly' | 'synchronous'>,
  ): void {
    if (!readOnly && !raw.readonly) {
      raw.pragma('journal_mode = wal')
      // Checkpoints are left to a worker; this is the bound when it cannot keep up, in pages.
      raw.pragma('wal_autocheckpoint = 8000')
    }
    raw.pragma(`synchronous = ${synchronous}`)
    raw.pragma('foreign_keys = on')
  }

  get usable(): boolean {
    return this.raw.open
  }

  async close(): Promise<void> {
    this.raw.close()
  }

  one({ statement, values }: BoundStatement): BusinessRecord | undefined {
    const row = this.#prepare(statement).get(values) as unknown[] | undefined
    return row === undefined ? undefined : statement.decode(row)
  }

  all({ statement, values }: BoundStatement): BusinessRecord[] {
    const { decode } = statement
    const rows = this.#prepare(statement).all(values) as unknown[][]
    const records: BusinessRecord[] = []
    for (const row of rows) records.push(decode(row))
    return records
  }

  /** The rows of a page, when they have no more bytes than a batch. */
  page(call: BoundStatement, { select, limit = Infinity }: Query): BusinessRecord[] | undefined {
    const texts = longTextsOf(select)
    if (texts.names.length === 0) return this.all(call)
    // One row after the other, which takes a third more time, only where they may be far more than a batch.
    if (limit * texts.longest > mostAtOnce) return this.few(call, limit)
    const records = this.all(call)
    let bytes = 0
    for (const record of records) for (const name of texts.names) bytes += sizeOf(record[name])
    // Something else than this store made them longer.
    if (bytes > mostAtOnce) texts.longest = Infinity
    return records.length > 1 && bytes > batchBytes ? undefined : records
  }

  /** The rows, when there are at most `most` of them, and no more than a batch has bytes. */
  few({ statement, values }: BoundStatement, most: number): BusinessRecord[] | undefined {
    const records: BusinessRecord[] = []
    let bytes = 0
    for (const row of this.#prepare(statement).iterate(values)) {
      bytes += sizeOf(row)
      if (records.length === most || (records.length > 0 && bytes > batchBytes)) return undefined
      records.push(statement.decode(row as unknown[]))
    }
    return records
  }

  /** In batches, by rows and by bytes; nothing else may run on this connection until the last one. */
  *batches({ statement, values }: BoundStatement, size: number): Generator<BusinessRecord[]> {
    let batch: BusinessRecord[] = []
    let bytes = 0
    for (const row of this.#prepare(statement).iterate(values)) {
      const more = sizeOf(row)
      if (batch.length > 0 && (batch.length === size || bytes + more > batchBytes)) {
        yield batch
        batch = []
        bytes = 0
      }
      bytes += more
      batch.push(statement.decode(row as unknown[]))
    }
    if (batch.length > 0) yield batch
  }

  groups(call: BoundStatement): AggregateRow[] {
    return decodeGroups(call, this.#prepare(call.statement).all(call.values) as unknown[][])
  }

  hits(call: BoundStatement): IndexHit[] {
    return decodeHits(call, this.#prepare(call.statement).all(call.values) as unknown[][])
  }

  count({ statement, values }: BoundStatement): number {
    return (this.#prepare(statement).get(values) as [number])[0]
  }

  /**
   * Runs a write that gives back the row. `all` and not `get`: an autocommit ends with the last step, and `get` does
   * not take it, so that a failing commit would go unnoticed.
   */
  write({ statement, values }: BoundStatement): BusinessRecord | undefined {
    const [row] = this.#prepare(statement).all(values) as unknown[][]
    return row && statement.decode(row)
  }

  /** Runs a write that gives nothing back; the number of rows it met. */
  change({ statement, values }: BoundStatement): number {
    return this.#prepare(statement).run(values).changes
  }

  execute(sql: string): void {
    this.raw.exec(sql)
  }

  #prepare(statement: Statement): Prepared {
    let prepared = this.#prepared.get(statement)
    if (!prepared) {
      prepared = this.raw.prepare(statement.sql)
      // The application may have chosen another default for its own database object.
      if (prepared.reader) prepared.raw().safeIntegers(false)
      if (!statement.once) this.#prepared.set(statement, prepared)
    }
    return prepared
  }
}

/** Bytes that may be read before they are counted; what is more than a batch of them is not kept. */
const mostAtOnce = memoryLimits().answer

interface LongTexts {
  readonly names: readonly string[]
  /** Characters that all of them in one row may have. */
  longest: number
}

const selections = new WeakMap<Selection, LongTexts>()

function longTextsOf(select: Selection): LongTexts {
  let found = selections.get(select)
  if (!found) {
    const fields = select.fields.filter((field) => isLong(field.columnType))
    const longest = fields.reduce((sum, field) => sum + lengthOf(field), 0)
    selections.set(select, (found = { names: fields.map(({ name }) => name), longest }))
  }
  return found
}

/** Characters that callers may write into it. */
function lengthOf(field: ReadableField): number {
  const { definition } = isJoined(field) ? field.field : field
  return ('length' in definition ? definition.length : undefined) ?? defaultLongLength
}
