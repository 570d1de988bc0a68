import type {
  AggregateQuery,
  AggregateRow,
  BusinessRecord,
  CountOptions,
  Filter,
  IndexHit,
  IndexQuery,
  Introspection,
  LentConnection,
  Model,
  ObjectModel,
  PlanOptions,
  Query,
  ReadOptions,
  Selection,
  StoreCapabilities,
  StoreSession,
  SyncPlan,
  Values,
} from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Knex } from 'knex'
import { knexWithin } from './knex-within.js'
import type { SqlStore } from './sql-store.js'
import type { SchemaConnection } from '../schema/connection.js'
import type { SchemaDialect } from '../schema/dialect.js'
import { introspect } from '../schema/introspect.js'
import { planSync } from '../schema/sync.js'
import { afterFailure } from '../pool/after-failure.js'

/** A connection within the transaction, for one call. */
export interface JoinedConnection {
  readonly schema: SchemaConnection
  readonly session: StoreSession
  /** A statement that failed, however the call continued. */
  readonly failure: StoreError | undefined
  /** The session is of no use afterwards. */
  end(): void
  /** Keeps what the call did. */
  keep(): Promise<void>
  /** Undoes what the call did. */
  undo(): Promise<void>
}

export interface JoinedStoreParts {
  readonly transaction: Knex.Transaction
  readonly capabilities: StoreCapabilities
  readonly schema: SchemaDialect
  /** Makes the driver's connection of the transaction ready for a call, which is a savepoint. */
  readonly join: (raw: object) => Promise<JoinedConnection>
  /** Asks the server for nothing. */
  readonly ping: string
}

/**
 * Calls within a transaction of knex, one after the other. Their savepoints are statements of the store: on Oracle, a
 * transaction of knex within another one commits both (knex 3.3).
 */
export class JoinedStore implements SqlStore {
  readonly capabilities: StoreCapabilities
  readonly knex: Knex
  readonly #parts: JoinedStoreParts
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: JoinedStoreParts) {
    this.capabilities = parts.capabilities
    this.knex = parts.transaction
    this.#parts = parts
  }

  get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined> {
    return this.transaction((session) => session.get(object, rowId, options)).catch((error: unknown) => {
      // The id cannot be one of this column's type: there is no such row.
      if (StoreError.is(error) && error.code === 'value') return undefined
      throw error
    })
  }

  /** All batches are read at once: between two of them the application may use its connection. */
  async *search(object: ObjectModel, query: Query): AsyncGenerator<readonly BusinessRecord[], void, undefined> {
    yield* await this.transaction(async (session) => {
      const batches: (readonly BusinessRecord[])[] = []
      for await (const batch of session.search(object, query)) batches.push(batch)
      return batches
    })
  }

  count(object: ObjectModel, where?: Filter, options?: CountOptions): Promise<number> {
    return this.transaction((session) => session.count(object, where, options))
  }

  aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
    return this.transaction((session) => session.aggregate(object, query))
  }

  searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
    return this.transaction((session) => session.searchIndex(object, query))
  }

  countIndex(object: ObjectModel, query: Pick<IndexQuery, 'terms' | 'where' | 'guards' | 'caller'>): Promise<number> {
    return this.transaction((session) => session.countIndex(object, query))
  }

  insert(object: ObjectModel, values: Values, select: Selection): Promise<BusinessRecord> {
    return this.transaction((session) => session.insert(object, values, select))
  }

  update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: Pick<ReadOptions, 'select' | 'where'>,
  ): Promise<BusinessRecord | undefined> {
    return this.transaction((session) => session.update(object, rowId, values, options))
  }

  delete(object: ObjectModel, rowId: string, where?: Filter): Promise<boolean> {
    return this.transaction((session) => session.delete(object, rowId, where))
  }

  transaction<T>(work: (session: StoreSession) => Promise<T>): Promise<T> {
    return this.#alone(({ session }) => work(session))
  }

  knexWithin(lend: () => Promise<LentConnection>): Knex {
    return knexWithin(this.knex, lend)
  }

  plan(model: Model, options: PlanOptions = {}): Promise<SyncPlan> {
    return this.#alone(({ schema }) => planSync(model, schema, this.#parts.schema, options))
  }

  sync(): Promise<SyncPlan> {
    return Promise.reject(
      new StoreError('internal', 'A store within a transaction cannot sync. Sync before it starts.'),
    )
  }

  introspect(): Promise<Introspection> {
    return this.#alone(({ schema }) => introspect(schema, this.#parts.schema))
  }

  constraintColumns(object: ObjectModel, constraint: string): Promise<readonly string[]> {
    return this.#alone(
      async ({ schema }) => (await this.#parts.schema.constraintColumns?.(schema, object.table, constraint)) ?? [],
    )
  }

  ping(): Promise<void> {
    return this.#alone(async ({ schema }) => void (await schema.rows(this.#parts.ping)))
  }

  async close(): Promise<void> {
    await this.#last
  }

  #alone<T>(work: (joined: JoinedConnection) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#run(work))
    this.#last = result.catch(() => {})
    return result
  }

  async #run<T>(work: (joined: JoinedConnection) => Promise<T>): Promise<T> {
    const { transaction, join } = this.#parts
    if (transaction.isCompleted())
      throw new StoreError('internal', 'No transaction is open: that of the store has ended.')
    try {
      const joined = await join((await transaction.client.acquireConnection()) as object)
      let result: T
      try {
        result = await work(joined)
        if (joined.failure) throw afterFailure(joined.failure)
      } catch (error) {
        // What ends the whole transaction leaves no savepoint; the first error says why.
        await joined.undo().catch(() => {})
        throw error
      } finally {
        joined.end()
      }
      await joined.keep()
      return result
    } catch (error) {
      throw notRepeatable(error)
    }
  }
}

/** Only the application could repeat what it did in its transaction. */
function notRepeatable(error: unknown): unknown {
  if (!StoreError.is(error) || !error.repeatable) return error
  return new StoreError(error.code, `${error.message} The transaction of the application may be undone as a whole.`, {
    cause: error.cause,
  })
}
