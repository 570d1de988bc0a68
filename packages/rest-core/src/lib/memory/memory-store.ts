import { StoreError } from '../../errors.js'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type {
  AggregateQuery,
  AggregateRow,
  CountOptions,
  IndexHit,
  IndexQuery,
  ObjectStore,
  Query,
  ReadOptions,
  StoreCapabilities,
  StoreSession,
  SyncPlan,
  Values,
} from '../store.js'
import type { Selection } from '../model/model.js'
import { aggregateRows } from './aggregate.js'
import { findByWords, searchIndex } from './index-search.js'
import { MemoryData, type View } from './memory-data.js'
import { type Guarding, guarding, rowTest, sortRows, toRecord } from './reading.js'
import type { Row } from './rows.js'
import { rowsOfBatch } from '../memory-limits.js'
import { checkReferences, deleteRow, insertRow, loadRow, updateRow } from './writing.js'

const capabilities: StoreCapabilities = Object.freeze({
  name: 'memory',
  persistent: false,
  migrations: false,
  introspection: false,
  concurrentWriters: false,
  aggregation: true,
  indexSearch: true,
  columnDocuments: true,
  likeFoldsUnicode: false,
})

const batchSize = 1_000

/**
 * A store that keeps rows in memory: the smallest reading of the contract, and a fast double in tests. Rows are gone
 * after `close()`. Writers wait for each other; readers see what is committed and never wait.
 */
export function createMemoryStore(): ObjectStore {
  const data = new MemoryData()
  let closed = false
  /** Settles when the last writer so far has ended. */
  let writers: Promise<unknown> = Promise.resolve()

  /** Runs work of one writer when those before it have ended. */
  function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    assertOpen()
    const result = writers.then(work)
    writers = result.catch(() => undefined)
    return result
  }

  function assertOpen(): void {
    if (closed) throw new StoreError('unavailable', 'The memory store is closed; create another one.')
  }

  return {
    capabilities,
    ...createSession(data, data.committed, assertOpen, inTurn),

    async transaction(work) {
      return inTurn(async () => {
        let ended = false
        const assertRunning = (): void => {
          if (ended)
            throw new StoreError(
              'internal',
              'The transaction of this session has ended; use the store or another transaction.',
            )
        }
        data.begin()
        try {
          const result = await work(createSession(data, data.live, assertRunning, async (write) => write()))
          data.commit()
          return result
        } catch (error) {
          data.undo()
          throw error
        } finally {
          ended = true
        }
      })
    },

    async snapshot(work) {
      assertOpen()
      const view = data.copy()
      return work({ search: createSession(data, view, assertOpen, inTurn).search })
    },

    async load(model, work) {
      return inTurn(async () => {
        data.begin()
        try {
          const result = await work(async (object, rows) => {
            for (const row of rows) loadRow(data, object, structuredClone(row))
          })
          for (const object of model.objects.values()) checkReferences(data, object)
          data.commit()
          return result
        } catch (error) {
          data.undo()
          throw error
        }
      })
    },

    async plan(): Promise<SyncPlan> {
      assertOpen()
      return { steps: [], leftover: [] }
    },

    async sync(): Promise<SyncPlan> {
      assertOpen()
      return { steps: [], leftover: [] }
    },

    async introspect() {
      assertOpen()
      throw new StoreError('internal', 'The memory store has no tables to introspect.')
    },

    async ping() {
      assertOpen()
    },

    async close() {
      closed = true
      await writers
    },
  }
}

/** @throws StoreError `schema` */
function assertTable({ name, definition }: ObjectModel): void {
  if (definition.view === undefined) return
  const text = `Object "${name}" is a view in SQL, which the memory store cannot compute. Use SQLite, for example "sqlite::memory:".`
  throw new StoreError('schema', text)
}

/**
 * @param view What this session reads.
 * @param assertUsable Throws when the session is of no use any more.
 * @param write Runs a write when it is this session's turn.
 */
function createSession(
  data: MemoryData,
  view: View,
  assertUsable: () => void,
  write: <T>(work: () => T) => Promise<T>,
): StoreSession {
  function find(
    from: View,
    object: ObjectModel,
    rowId: string,
    where: Filter | undefined,
    guards?: Guarding,
  ): Row | undefined {
    const row = from.get(object.table, rowId)
    return row && rowTest(from, object, where, guards)(row) ? row : undefined
  }

  return {
    async get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined> {
      assertUsable()
      assertTable(object)
      const guards = options.guards && guarding(view, options.guards)
      const row = find(view, object, rowId, options.where, guards)
      return row && toRecord(view, row, options.select, guards)
    },

    async *search(object: ObjectModel, query: Query) {
      assertUsable()
      assertTable(object)
      const { select, where, order, limit = Infinity, offset = 0 } = query
      const guards = query.guards && guarding(view, query.guards)
      const found = [...view.all(object.table)].filter(rowTest(view, object, where, guards))
      // All at once, so that later batches show the same moment as the first one.
      const records = sortRows(view, object, found, order, guards)
        .slice(offset, offset + limit)
        .map((row) => toRecord(view, row, select, guards))
      for (let at = 0; at < records.length;) {
        const batch = records.slice(at, at + batchSize)
        const count = rowsOfBatch(batch, batchSize)
        yield batch.slice(0, count)
        at += count
      }
    },

    async count(object: ObjectModel, where?: Filter, { guards }: CountOptions = {}): Promise<number> {
      assertUsable()
      assertTable(object)
      const matches = rowTest(view, object, where, guards && guarding(view, guards))
      let count = 0
      for (const row of view.all(object.table)) if (matches(row)) count += 1
      return count
    },

    async aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
      assertUsable()
      assertTable(object)
      return aggregateRows(view, object, query)
    },

    async searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
      assertUsable()
      return searchIndex(view, object, query)
    },

    async countIndex(object: ObjectModel, query: Pick<IndexQuery, 'terms' | 'where' | 'guards'>): Promise<number> {
      assertUsable()
      return findByWords(view, object, query).length
    },

    async insert(object: ObjectModel, values: Values, select: Selection): Promise<BusinessRecord> {
      assertUsable()
      const given = structuredClone(values)
      return write(() => toRecord(data.live, insertRow(data, object, given), select))
    },

    async update(object: ObjectModel, rowId: string, values: Values, { select, where }: Omit<ReadOptions, 'guards'>) {
      assertUsable()
      const given = structuredClone(values)
      return write(() => {
        const row = find(data.live, object, rowId, where)
        return row && toRecord(data.live, updateRow(data, object, rowId, row, given), select)
      })
    },

    async delete(object: ObjectModel, rowId: string, where?: Filter): Promise<boolean> {
      assertUsable()
      return write(() => {
        if (!find(data.live, object, rowId, where)) return false
        deleteRow(data, object, rowId)
        return true
      })
    },
  }
}
