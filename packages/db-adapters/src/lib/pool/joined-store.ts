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
import { knexWithin } from '../knex/knex-within.js'
import type { SqlStore } from '../knex/sql-store.js'
import type { SchemaDialect } from '../schema/dialect.js'
import { introspect } from '../schema/introspect.js'
import { planSync } from '../schema/sync.js'
import type { Compiler } from '../sql/compiler.js'
import type { JoinedConnection } from './joined-connection.js'
import { afterFailure } from './after-failure.js'

export interface JoinedStoreParts {
  /** The transaction. */
  readonly knex: Knex
  readonly capabilities: StoreCapabilities
  readonly compiler: Compiler
  readonly schema: SchemaDialect
  readonly open: () => Promise<JoinedConnection>
  /** Asks the server for nothing. */
  readonly ping: string
}

/** Calls run one after the other, each between a savepoint and its release. */
export class JoinedStore implements SqlStore {
  readonly capabilities: StoreCapabilities
  readonly knex: Knex
  readonly #parts: JoinedStoreParts
  #joined: Promise<JoinedConnection> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: JoinedStoreParts) {
    this.capabilities = parts.capabilities
    this.knex = parts.knex
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
    return this.#alone(async (joined) => {
      const used = joined.session(this.#parts.compiler)
      try {
        const result = await work(used.session)
        if (used.failure) throw afterFailure(used.failure)
        return result
      } finally {
        used.end()
      }
    })
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
    try {
      const joined = await (this.#joined ??= this.#parts.open())
      await joined.enter()
      let result: T
      try {
        result = await work(joined)
      } catch (error) {
        // What ends the whole transaction leaves no savepoint; the first error says why.
        if (joined.usable) await joined.undo().catch(() => {})
        throw error
      }
      await joined.leave()
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
