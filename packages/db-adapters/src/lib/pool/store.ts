import type {
  AggregateQuery,
  AggregateRow,
  BusinessRecord,
  Caller,
  CountOptions,
  Filter,
  IndexHit,
  IndexQuery,
  InsertRows,
  LentConnection,
  IntrospectOptions,
  Introspection,
  Model,
  ObjectModel,
  ObjectStore,
  PlanOptions,
  Query,
  ReadOptions,
  Selection,
  SnapshotSession,
  StoreCapabilities,
  StoreSession,
  SyncPlan,
  UpdateRowOptions,
  Values,
} from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { SchemaDialect } from '../schema/dialect.js'
import { introspect } from '../schema/introspect.js'
import { applySync, planSync } from '../schema/sync.js'
import { isUnique, keepsInserts, noRow } from '../schema/unique-keys.js'
import { decodeGroups } from '../sql/aggregate.js'
import type { Compiler } from '../sql/compiler.js'
import { decodeHits } from '../sql/index-search.js'
import type { BoundStatement } from '../sql/statement.js'
import { afterFailure } from './after-failure.js'
import type { BulkDialect } from './bulk.js'
import { collectRows } from './collect-rows.js'
import type { Cancel } from './canceller.js'
import type { Knex } from 'knex'
import type { Join } from '../knex/connections.js'
import { checkTransaction } from '../knex/instance.js'
import { JoinedStore } from '../knex/joined-store.js'
import { knexWithin } from '../knex/knex-within.js'
import type { SqlStore } from '../knex/sql-store.js'
import type { ServerConnection, Rows } from './connection.js'
import type { ReadFacts } from './learning.js'
import type { ConnectionSource } from './source.js'
import { ConnectionSession, countIn, firstRecord, isOneBatch, records } from './session.js'

export interface PooledStoreParts<C extends ServerConnection> {
  readonly knex: Knex
  readonly capabilities: StoreCapabilities
  readonly compiler: Compiler
  /** What the compiler may know of the tables; asked again after a sync. Absent: nothing. */
  readonly readFacts?: ReadFacts
  readonly schema: SchemaDialect
  /** Lets statements of schema work take their time. */
  readonly schemaSetUp: string
  /** How long the database may take for a statement that is streamed, in ms; 0: no limit. */
  readonly statementTimeoutMs: number
  readonly bulk: BulkDialect
  /** What to ask to hear whether the database answers. Default `select 1`. */
  readonly ping?: string
  /** Connections, each for one use at a time. */
  readonly pool: ConnectionSource<C>
  /** Connections for single-row reads, which never wait for locks: may be shared by many requests at once. Default: the pool. */
  readonly readers?: Readers<C>
  /** Joins a transaction on a connection of the driver. */
  readonly join: Join<C>
  /** Absent: statements run to their end, or to the limit of time, although no caller waits for them. */
  readonly cancel?: Cancel<C> | undefined
  /** Absent: changes by others are not announced. */
  readonly listeners?: Listeners | undefined
}

/** Connections for single-row reads. */
export interface Readers<C> extends ConnectionSource<C> {
  /** What is sent now would wait for a statement that takes long: the pool is asked, of which each user has a part. */
  readonly isHeldUp?: boolean
}

/** Connections that wait for notices. */
export interface Listeners {
  readonly listen: NonNullable<ObjectStore['listen']>
  close(): Promise<void>
}

/** A store on a database server: connections come from a pool, statements from a compiler. */
export class PooledStore<C extends ServerConnection> implements SqlStore {
  readonly capabilities: StoreCapabilities
  readonly knex: Knex
  readonly #compiler: Compiler
  readonly #readFacts: ReadFacts | undefined
  readonly #schema: SchemaDialect
  readonly #schemaSetUp: string
  readonly #statementTimeoutMs: number
  readonly #bulk: BulkDialect
  readonly #pool: ConnectionSource<C>
  readonly #readers: Readers<C>
  readonly #cancel: Cancel<C> | undefined
  readonly #join: PooledStoreParts<C>['join']
  readonly #ping: BoundStatement
  readonly #pingSql: string
  /** What is known of tables that were written to. */
  #unique = new WeakMap<ObjectModel, boolean>()
  #keeping = new WeakMap<ObjectModel, boolean>()
  readonly #listeners: Listeners | undefined
  readonly listen?: Listeners['listen']

  constructor(parts: PooledStoreParts<C>) {
    this.capabilities = parts.capabilities
    this.knex = parts.knex
    this.#compiler = parts.compiler
    this.#readFacts = parts.readFacts
    this.#schema = parts.schema
    this.#schemaSetUp = parts.schemaSetUp
    this.#statementTimeoutMs = parts.statementTimeoutMs
    this.#bulk = parts.bulk
    this.#pool = parts.pool
    this.#readers = parts.readers ?? parts.pool
    this.#cancel = parts.cancel
    this.#join = parts.join
    this.#listeners = parts.listeners
    if (parts.listeners) this.listen = parts.listeners.listen
    const { ping: sql = 'select 1' } = parts
    const statement = { id: 0, sql, gives: 'count' as const, decode: () => ({ row_id: '' }), once: true }
    this.#pingSql = sql
    this.#ping = { statement, values: [], rowId: undefined }
  }

  async get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined> {
    // A lock would end with the statement, and others would wait for this one on a shared connection.
    const call = this.#compiler.get(object, rowId, options.lock ? { ...options, lock: false } : options)
    if (!call) return undefined
    try {
      const source = this.#readers.isHeldUp ? this.#pool : this.#readers
      return firstRecord(call, await this.#read(source, call, options.caller))
    } catch (error) {
      // The id cannot be one of this column's type, e.g. uuid: there is no such row.
      if (StoreError.is(error) && error.code === 'value') return undefined
      throw error
    }
  }

  async *search(object: ObjectModel, query: Query): AsyncGenerator<readonly BusinessRecord[], void, undefined> {
    const call = this.#compiler.search(object, query)
    const rows = isOneBatch(query) ? this.#page(call, query.caller) : this.#stream(call, query.caller)
    for await (const batch of rows) yield records(call, batch)
  }

  async aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
    const call = this.#compiler.aggregate(object, query)
    return decodeGroups(call, await collectRows(this.#page(call, query.caller)))
  }

  async searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
    const call = this.#compiler.searchIndex(object, query)
    return decodeHits(call, await collectRows(this.#page(call, query.caller)))
  }

  async countIndex(
    object: ObjectModel,
    query: Pick<IndexQuery, 'terms' | 'where' | 'guards' | 'caller'>,
  ): Promise<number> {
    return countIn(await this.#read(this.#pool, this.#compiler.countIndex(object, query), query.caller))
  }

  async count(object: ObjectModel, where?: Filter, { guards, caller }: CountOptions = {}): Promise<number> {
    return countIn(await this.#read(this.#pool, this.#compiler.count(object, where, guards), caller))
  }

  async insert(object: ObjectModel, values: Values, select: Selection, caller?: Caller): Promise<BusinessRecord> {
    if (this.#compiler.isFollowed(object, values))
      return this.transaction((session) => session.insert(object, values, select), caller)
    if (!(await this.#keepsInserts(object, caller)))
      return this.transaction((session) => session.insert(object, values, select), caller)
    const call = this.#compiler.insert(object, values, select)
    if (call.statement.gives !== 'records')
      return this.#onOne((session) => session.insert(object, values, select), caller)
    const record = firstRecord(call, await this.#write(call, caller))
    if (!record) throw noRow(object)
    return record
  }

  async update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: UpdateRowOptions,
  ): Promise<BusinessRecord | undefined> {
    if (this.#compiler.isFollowed(object, values))
      return this.transaction((session) => session.update(object, rowId, values, options), options.caller)
    if (!(await this.#isUnique(object, options.caller)))
      return this.transaction((session) => session.update(object, rowId, values, options), options.caller)
    const call = this.#compiler.update(object, rowId, values, options)
    if (!call) return undefined
    if (call.statement.gives !== 'records')
      return this.#onOne((session) => session.update(object, rowId, values, options), options.caller)
    return firstRecord(call, await this.#write(call, options.caller))
  }

  async delete(object: ObjectModel, rowId: string, where?: Filter, caller?: Caller): Promise<boolean> {
    const call = this.#compiler.delete(object, rowId, where)
    if (!call) return false
    if (!(await this.#isUnique(object, caller)))
      return this.transaction((session) => session.delete(object, rowId, where), caller)
    const taken = this.#pool.take(caller)
    const connection = taken instanceof Promise ? await taken : taken
    try {
      return (await connection.change(call)).affected > 0
    } catch (error) {
      throw outcome(error, connection)
    } finally {
      this.#pool.release(connection)
    }
  }

  async transaction<T>(work: (session: StoreSession) => Promise<T>, caller?: Caller): Promise<T> {
    const taken = this.#pool.take(caller)
    const connection = taken instanceof Promise ? await taken : taken
    const session = new ConnectionSession(connection, this.#compiler, {
      isUnique: (object) => this.#isUnique(object, caller, connection),
    })
    try {
      const began = connection.begin()
      began.catch(() => {}) // Every statement that follows fails for the same reason.
      const result = await work(session)
      session.end()
      if (session.failure) throw afterFailure(session.failure)
      await began
      await commit(connection)
      return result
    } catch (error) {
      session.end()
      // A rollback that fails leaves a connection that is not usable: its transaction ends with it.
      if (connection.usable) await connection.rollback().catch(() => {})
      throw error
    } finally {
      this.#pool.release(connection)
    }
  }

  knexWithin(lend: () => Promise<LentConnection>): Knex {
    return knexWithin(this.knex, lend)
  }

  snapshot<T>(work: (session: SnapshotSession) => Promise<T>): Promise<T> {
    return this.#exclusively(async (connection) => {
      for (const sql of this.#bulk.beginSnapshot) await connection.run(sql)
      const session = new ConnectionSession(connection, this.#compiler)
      try {
        return await work(session)
      } finally {
        session.end()
      }
    })
  }

  load<T>(model: Model, work: (insert: InsertRows) => Promise<T>): Promise<T> {
    return this.#exclusively((connection) => {
      let before: ObjectModel | undefined
      const { beforeRows } = this.#bulk
      return this.#bulk.load(connection, model, () =>
        work(async (object, rows) => {
          if (beforeRows && before !== object) {
            await beforeRows(connection, object, before)
            before = object
          }
          await Promise.all(
            rows.flatMap((row) => [
              insertOn(connection, object, this.#compiler.insert(object, row, object.select([]))),
              ...this.#compiler
                .afterWrite(object, String(row['row_id']), row, true)
                .map((call) => connection.change(call)),
            ]),
          )
        }),
      )
    })
  }

  within(given: Knex.Transaction): SqlStore {
    const transaction = checkTransaction(given)
    return new JoinedStore({
      transaction,
      capabilities: this.capabilities,
      schema: this.#schema,
      ping: this.#pingSql,
      join: async (raw) => {
        const { connection, keep, undo } = await this.#join(raw)
        const session = new ConnectionSession(connection, this.#compiler)
        return {
          schema: connection,
          session,
          get failure() {
            return session.failure
          },
          end: () => session.end(),
          keep,
          undo,
        }
      },
    })
  }

  plan(model: Model, options: PlanOptions = {}): Promise<SyncPlan> {
    return this.#exclusively((connection) => planSync(model, connection, this.#schema, options))
  }

  sync(model: Model, options: { readonly destructive?: boolean } = {}): Promise<SyncPlan> {
    return this.#exclusively(async (connection) => {
      const done = await applySync(model, connection, this.#schema, options)
      this.#unique = new WeakMap()
      this.#keeping = new WeakMap()
      if (done.steps.length > 0 && this.#readFacts) this.#compiler.learn(await this.#readFacts(connection))
      return done
    })
  }

  introspect(options?: IntrospectOptions): Promise<Introspection> {
    return this.#exclusively((connection) => introspect(connection, this.#schema, options))
  }

  async constraintColumns(object: ObjectModel, constraint: string): Promise<readonly string[]> {
    const taken = this.#pool.take()
    const connection = taken instanceof Promise ? await taken : taken
    try {
      return (await this.#schema.constraintColumns?.(connection, object.table, constraint)) ?? []
    } finally {
      this.#pool.release(connection)
    }
  }

  async ping(): Promise<void> {
    await this.#read(this.#pool, this.#ping)
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#readers.close(), this.#listeners?.close()])
  }

  /** Whether a row id has one row at most; otherwise changes are transactions that may be undone. */
  #isUnique(object: ObjectModel, caller: Caller | undefined, own?: C): Promise<boolean> | boolean {
    return this.#unique.get(object) ?? this.#ask(object, caller, own, this.#unique, isUnique)
  }

  /** Whether an insert makes a row of the table; otherwise it is a transaction that may be undone. */
  #keepsInserts(object: ObjectModel, caller: Caller | undefined): Promise<boolean> | boolean {
    return this.#keeping.get(object) ?? this.#ask(object, caller, undefined, this.#keeping, keepsInserts)
  }

  async #ask(
    object: ObjectModel,
    caller: Caller | undefined,
    own: C | undefined,
    answers: WeakMap<ObjectModel, boolean>,
    question: typeof isUnique,
  ): Promise<boolean> {
    const connection = own ?? (await this.#pool.take(caller))
    try {
      const answer = await question(connection, this.#schema, object)
      answers.set(object, answer)
      return answer
    } finally {
      if (!own) this.#pool.release(connection)
    }
  }

  /** A read may be asked twice: when its connection turns out to be lost, another one answers. */
  async #read(source: ConnectionSource<C>, call: BoundStatement, caller?: Caller): Promise<Rows> {
    const taken = source.take(caller)
    const connection = taken instanceof Promise ? await taken : taken
    const stop = this.#cancelWhenGone(connection, caller)
    try {
      return await connection.query(call)
    } catch (error) {
      if (stop?.isGone || !isLoss(error, connection)) throw error
    } finally {
      stop?.end()
      source.release(connection)
    }
    source.discardIdle()
    const other = await source.take(caller)
    try {
      return await other.query(call)
    } finally {
      source.release(other)
    }
  }

  /** A write is sent once: how far it came is unknown when its connection was lost. */
  async #write(call: BoundStatement, caller: Caller | undefined): Promise<Rows> {
    const taken = this.#pool.take(caller)
    const connection = taken instanceof Promise ? await taken : taken
    try {
      return await connection.query(call)
    } catch (error) {
      throw outcome(error, connection)
    } finally {
      this.#pool.release(connection)
    }
  }

  /** A write and what has to be read for its answer, on one connection. */
  async #onOne<T>(work: (session: StoreSession) => Promise<T>, caller: Caller | undefined): Promise<T> {
    const taken = this.#pool.take(caller)
    const connection = taken instanceof Promise ? await taken : taken
    try {
      return await work(new ConnectionSession(connection, this.#compiler, { isAlone: true }))
    } catch (error) {
      throw outcome(error, connection)
    } finally {
      this.#pool.release(connection)
    }
  }

  /** As long as nothing has come, another connection may start again. */
  async *#stream(call: BoundStatement, caller?: Caller): AsyncGenerator<Rows, void, undefined> {
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#pool.take(caller, true)
      const stop = this.#cancelWhenGone(connection, caller)
      let started = false
      try {
        connection.begin().catch(() => {}) // The stream fails for the same reason.
        for await (const rows of this.#inTime(connection, connection.stream(call, true))) {
          started = true
          yield rows
        }
        return
      } catch (error) {
        if (started || attempt === 2 || stop?.isGone || !isLoss(error, connection)) throw error
      } finally {
        stop?.end()
        // The next user's statements wait for it; when it fails, the connection is lost for them too.
        if (connection.usable) connection.rollback().catch(() => {})
        this.#pool.release(connection)
      }
      this.#pool.discardIdle()
    }
  }

  /** The same for a page, which is one statement. Its connection is free before the last batch is given. */
  async *#page(call: BoundStatement, caller?: Caller): AsyncGenerator<Rows, void, undefined> {
    for (let attempt = 1; ; attempt++) {
      const taken = this.#pool.take(caller)
      const connection = taken instanceof Promise ? await taken : taken
      const stop = this.#cancelWhenGone(connection, caller)
      let last: Rows | undefined
      let failed = false
      try {
        for await (const rows of this.#inTime(connection, connection.page(call, true))) {
          if (last) yield last
          last = rows
        }
      } catch (error) {
        if (last || attempt === 2 || stop?.isGone || !isLoss(error, connection)) throw error
        failed = true
      } finally {
        stop?.end()
        this.#pool.release(connection)
      }
      if (!failed) {
        if (last) yield last
        return
      }
      this.#pool.discardIdle()
    }
  }

  /** Ends a stream when the database has taken too long for it in all; the time of the consumer does not count. */
  async *#inTime(connection: C, rows: AsyncGenerator<Rows, void, undefined>): AsyncGenerator<Rows, void, undefined> {
    const most = this.#statementTimeoutMs
    if (most === 0) return yield* rows
    let left = most
    let isLate = false
    try {
      for (;;) {
        const began = performance.now()
        const late = Promise.withResolvers<never>()
        const timer = setTimeout(() => {
          isLate = true
          late.reject(new StoreError('timeout', `The database took longer than ${most} ms for the rows of a search.`))
        }, left)
        const next = rows.next()
        const { done, value } = await Promise.race([next, late.promise]).finally(() => clearTimeout(timer))
        if (done) return
        left = Math.max(1, left - (performance.now() - began))
        yield value
      }
    } finally {
      const ended = rows.return()
      if (isLate) {
        ended.catch(() => {})
        void this.#cancel?.(connection)
        void connection.close()
      } else await ended
    }
  }

  /**
   * Cancels the statement of a connection as soon as no caller waits for it. The connection is not used again then: the
   * order to cancel may come late, and would hit the statement of another caller.
   */
  #cancelWhenGone(connection: C, { signal }: Caller = {}): { readonly isGone: boolean; end(): void } | undefined {
    if (!signal || !this.#cancel) return undefined
    const cancel = (): void => void this.#cancel?.(connection)
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
    return {
      get isGone() {
        return signal.aborted
      },
      end() {
        signal.removeEventListener('abort', cancel)
        if (signal.aborted) void connection.close()
      },
    }
  }

  /** The connection is not used afterwards: its settings and locks end with it. */
  async #exclusively<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const connection = await this.#pool.take()
    try {
      await connection.run(this.#schemaSetUp)
      return await work(connection)
    } finally {
      await connection.close()
      this.#pool.release(connection)
    }
  }
}

async function insertOn(connection: ServerConnection, object: ObjectModel, call: BoundStatement): Promise<void> {
  const made =
    call.statement.gives === 'changes'
      ? (await connection.change(call)).affected
      : (await connection.query(call)).length
  if (made === 0) throw noRow(object)
}

async function commit(connection: ServerConnection): Promise<void> {
  try {
    await connection.commit()
  } catch (error) {
    throw outcome(error, connection)
  }
}

function isLoss(error: unknown, connection: ServerConnection): boolean {
  return !connection.usable && StoreError.is(error) && error.code === 'unavailable'
}

function outcome(error: unknown, connection: ServerConnection): unknown {
  if (connection.usable || !StoreError.is(error)) return error
  return new StoreError(error.code, `Whether the change was kept is not known: ${error.message}`, { cause: error })
}
