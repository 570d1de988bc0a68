import type { BusinessRecord, Query, StoreSession } from '@steward/rest-core'
import { batchBytes, sizeOf } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Compiler } from '../../sql/compiler.js'
import type { BoundStatement } from '../../sql/statement.js'
import { deleteRow, insertRow, updateRow } from './certain-writes.js'
import type { SqliteConnection } from './connection.js'
import { exactSums } from './exact-sums.js'
import { toStoreError } from './errors.js'
import { afterFailure } from '../../pool/after-failure.js'

/** Rows that a search in a transaction holds in memory; also the largest batch. */
export const mostInMemory = 1_000

let spools = 0

/**
 * The session of one transaction; everything runs on its connection, at once.
 *
 * @param wrote Called after every write.
 */
export function createTransactionSession(
  compiler: Compiler,
  connection: SqliteConnection,
  wrote: () => void,
): { session: StoreSession; readonly failure: StoreError | undefined; end(): void } {
  let ended = false
  let failure: StoreError | undefined

  function run<T>(attempt: string, work: () => T): T {
    if (ended) throw new StoreError('internal', `Cannot ${attempt}: the transaction of this session has ended.`)
    // Some errors, e.g. a full disk, make SQLite undo the transaction; what came later would be kept without the rest.
    if (!connection.raw.inTransaction)
      throw new StoreError(
        'unavailable',
        `Cannot ${attempt}: the transaction was undone by the database after an earlier error.`,
      )
    if (failure) throw afterFailure(failure)
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, attempt)
    }
  }

  function write<T>(attempt: string, work: () => T): T {
    const result = run(attempt, work)
    wrote()
    return result
  }

  const session: StoreSession = {
    async lend() {
      return write('lend the connection', () => ({
        connection: connection.raw,
        used: () => {},
        failed(error) {
          failure ??= toStoreError(error, 'run a statement of the application')
        },
      }))
    },

    async get(object, rowId, options) {
      const call = compiler.get(object, rowId, options)
      return run(`read "${object.table}"`, () => call && connection.one(call))
    },

    async *search(object, query) {
      const attempt = `search "${object.table}"`
      const call = compiler.search(object, query)
      const records = run(attempt, () =>
        isPage(query) ? connection.page(call, query) : connection.few(call, mostInMemory),
      )
      if (!records) yield* spooled(call, attempt)
      else if (records.length > 0) yield records
    },

    async aggregate(object, query) {
      return exactSums((wide) => {
        const call = compiler.aggregate(object, query, wide)
        return run(`group "${object.table}"`, () => connection.groups(call))
      })
    },

    async searchIndex(object, query) {
      const call = compiler.searchIndex(object, query)
      return run(`search the index of "${object.table}"`, () => connection.hits(call))
    },

    async countIndex(object, query) {
      const call = compiler.countIndex(object, query)
      return run(`search the index of "${object.table}"`, () => connection.count(call))
    },

    async count(object, where, { guards } = {}) {
      const call = compiler.count(object, where, guards)
      return run(`count "${object.table}"`, () => connection.count(call))
    },

    async insert(object, values, select) {
      const call = compiler.insert(object, values, select)
      return write(`insert into "${object.table}"`, () => insertRow(connection, object, call))
    },

    async update(object, rowId, values, options) {
      const call = compiler.update(object, rowId, values, options)
      return write(`update "${object.table}"`, () => call && updateRow(connection, object, rowId, call))
    },

    async delete(object, rowId, where) {
      const call = compiler.delete(object, rowId, where)
      const attempt = `delete from "${object.table}"`
      return write(attempt, () => call !== undefined && deleteRow(connection, object, rowId, call))
    },
  }

  /**
   * Rows of a large result, copied to a temporary table first: they have to stay what they were at the start while the
   * transaction writes, and the driver allows no writing while it reads row by row.
   */
  async function* spooled(
    { statement, values }: BoundStatement,
    attempt: string,
  ): AsyncGenerator<readonly BusinessRecord[]> {
    const spool = `temp._search_${++spools}`
    run(attempt, () => connection.raw.prepare(`create table ${spool} as ${statement.sql}`).run(values))
    try {
      const page = run(attempt, () =>
        connection.raw.prepare(`select rowid, * from ${spool} where rowid > ? order by rowid limit ?`).raw(),
      )
      for (let last: unknown = 0; ;) {
        const rows = run(attempt, () => someOf(page.iterate(last, mostInMemory)))
        if (rows.length === 0) return
        yield rows.map((row) => statement.decode(row.slice(1)))
        last = rows.at(-1)?.[0]
      }
    } finally {
      if (connection.raw.open) connection.execute(`drop table if exists ${spool}`)
    }
  }

  return {
    session,
    get failure() {
      return failure
    },
    end() {
      ended = true
    },
  }
}

/** The first rows: as many as are a batch of bytes. */
function someOf(given: Iterable<unknown>): unknown[][] {
  const rows: unknown[][] = []
  let bytes = 0
  for (const row of given) {
    bytes += sizeOf(row)
    if (rows.length > 0 && bytes > batchBytes) break
    rows.push(row as unknown[])
  }
  return rows
}

/** Whether all of it is read at once, as one batch. */
export function isPage({ limit }: Query): boolean {
  return limit !== undefined && limit <= mostInMemory
}
