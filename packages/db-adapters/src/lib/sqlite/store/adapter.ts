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
  IntrospectOptions,
  Introspection,
  LentConnection,
  Model,
  ObjectModel,
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
import type { Knex } from 'knex'
import { standardSavepoint } from '../../knex/connections.js'
import { checkTransaction } from '../../knex/instance.js'
import { JoinedStore } from '../../knex/joined-store.js'
import { knexWithin } from '../../knex/knex-within.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { afterFailure } from '../../pool/after-failure.js'
import { collectRows } from '../../pool/collect-rows.js'
import type { SchemaConnection } from '../../schema/connection.js'
import type { SchemaDialect } from '../../schema/dialect.js'
import { introspect } from '../../schema/introspect.js'
import { applySync, planSync } from '../../schema/sync.js'
import { sqliteSchema } from '../schema/dialect.js'
import { decodeGroups } from '../../sql/aggregate.js'
import { checkedColumns } from '../schema/constraint-columns.js'
import { deleteRow, forgetKeys, insertRow, updateRow } from './certain-writes.js'
import { createCompiler, type Compiler } from '../../sql/compiler.js'
import { decodeHits } from '../../sql/index-search.js'
import { readOptions, type SqliteConfig, type SqliteStoreOptions } from './config.js'
import { Database } from './database.js'
import { sqliteDialect } from './dialect.js'
import type { SqliteConnection } from './connection.js'
import { toStoreError } from './errors.js'
import { readFacts } from './facts.js'
import { exactSums } from './exact-sums.js'
import { createMainConnection, type MainConnection } from './main-connection.js'
import { isQuick } from './quick-pages.js'
import { createSchemaConnection } from './schema-connection.js'
import { createTransactionSession, isPage } from './transaction-session.js'

/** Records per batch of a search in a snapshot. */
const snapshotBatch = 500

const capabilities: StoreCapabilities = Object.freeze({
  name: 'sqlite',
  persistent: true,
  migrations: true,
  introspection: true,
  concurrentWriters: false,
  aggregation: true,
  indexSearch: true,
  columnDocuments: true,
  likeFoldsUnicode: false,
})

/**
 * A store on one SQLite file, by better-sqlite3. Small reads and writes run on the calling thread; counts, searches of more than
 * 1,000 records, and pages that may take long run in threads of their own. Writers wait for each other, also for those of other processes.
 *
 * @throws TypeError for wrong options; the file is opened by the first call
 *
 * @example
 * const store = createSqliteStore({ filename: 'data/catalog.db' })
 * await store.sync(model)
 */
export function createSqliteStore(options: SqliteStoreOptions): SqlStore {
  return new SqliteStore(readOptions(options))
}

class SqliteStore implements SqlStore {
  readonly knex: Knex
  readonly #config: SqliteConfig
  readonly #main: MainConnection
  readonly #compiler: Compiler
  #database: Database | undefined
  #opening: Promise<Database> | undefined
  #closing: Promise<void> | undefined

  constructor(config: SqliteConfig) {
    this.#config = config
    this.#compiler = createCompiler(sqliteDialect, { shapes: config.shapes })
    this.#main = createMainConnection(config)
    this.knex = this.#main.knex
  }

  get capabilities(): StoreCapabilities {
    return capabilities
  }

  async get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.get(object, rowId, options)
    return call && database.read(`read "${object.table}"`, (connection) => connection.one(call))
  }

  async *search(object: ObjectModel, query: Query): AsyncGenerator<readonly BusinessRecord[], void> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.search(object, query)
    if (isPage(query)) {
      const quick = await database.read(`search "${object.table}"`, (connection) =>
        isQuick(connection, object, query, call) ? connection.page(call, query) : undefined,
      )
      if (!quick)
        for await (const rows of database.readers.page(call, query.caller)) yield rows.map(call.statement.decode)
      else if (quick.length > 0) yield quick
      return
    }
    for await (const rows of database.readers.search(call, query.caller)) yield rows.map(call.statement.decode)
  }

  async aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]> {
    const database = this.#database ?? (await this.#open())
    return exactSums(async (wide) => {
      const call = this.#compiler.aggregate(object, query, wide)
      return decodeGroups(call, await collectRows(database.readers.page(call, query.caller)))
    })
  }

  async searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.searchIndex(object, query)
    return decodeHits(call, await collectRows(database.readers.page(call, query.caller)))
  }

  async countIndex(
    object: ObjectModel,
    query: Pick<IndexQuery, 'terms' | 'where' | 'guards' | 'caller'>,
  ): Promise<number> {
    const database = this.#database ?? (await this.#open())
    return database.readers.count(this.#compiler.countIndex(object, query), query.caller)
  }

  async count(object: ObjectModel, where?: Filter, { guards, caller }: CountOptions = {}): Promise<number> {
    const database = this.#database ?? (await this.#open())
    return database.readers.count(this.#compiler.count(object, where, guards), caller)
  }

  async insert(object: ObjectModel, values: Values, select: Selection, caller?: Caller): Promise<BusinessRecord> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.insert(object, values, select)
    return database.write(`insert into "${object.table}"`, (connection) => insertRow(connection, object, call), caller)
  }

  async update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: UpdateRowOptions,
  ): Promise<BusinessRecord | undefined> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.update(object, rowId, values, options)
    const { caller } = options
    const attempt = `update "${object.table}"`
    return call && database.write(attempt, (connection) => updateRow(connection, object, rowId, call), caller)
  }

  async delete(object: ObjectModel, rowId: string, where?: Filter, caller?: Caller): Promise<boolean> {
    const database = this.#database ?? (await this.#open())
    const call = this.#compiler.delete(object, rowId, where)
    const attempt = `delete from "${object.table}"`
    return (
      call !== undefined && database.write(attempt, (connection) => deleteRow(connection, object, rowId, call), caller)
    )
  }

  async transaction<T>(work: (session: StoreSession) => Promise<T>, caller?: Caller): Promise<T> {
    const database = this.#database ?? (await this.#open())
    return database.transaction(async (connection) => {
      const used = createTransactionSession(this.#compiler, connection, () => database.wrote())
      try {
        const result = await work(used.session)
        if (used.failure) throw afterFailure(used.failure)
        return result
      } finally {
        used.end()
      }
    }, caller)
  }

  knexWithin(lend: () => Promise<LentConnection>): Knex {
    return knexWithin(this.knex, lend)
  }

  async snapshot<T>(work: (session: SnapshotSession) => Promise<T>): Promise<T> {
    const database = this.#database ?? (await this.#open())
    return database.snapshot((connection) => work({ search: snapshotSearch(connection, this.#compiler) }))
  }

  async load<T>(_model: Model, work: (insert: InsertRows) => Promise<T>): Promise<T> {
    const database = this.#database ?? (await this.#open())
    return database.transaction(async (connection) => {
      // Until the commit, which sets it back. Row ids continue after those that were inserted, without further work.
      connection.execute('pragma defer_foreign_keys = on')
      return work(async (object, rows) => {
        const select = object.select([])
        try {
          for (const row of rows) insertRow(connection, object, this.#compiler.insert(object, row, select))
        } catch (error) {
          throw toStoreError(error, `insert into "${object.table}"`)
        }
      })
    })
  }

  within(given: Knex.Transaction): SqlStore {
    return new JoinedStore({
      transaction: checkTransaction(given),
      capabilities,
      schema: sqliteSchema,
      ping: 'select 1',
      join: async (raw) => {
        const connection = this.#main.connectionOf(raw)
        const used = createTransactionSession(this.#compiler, connection, () => {})
        const schema = createSchemaConnection(connection, this.#config.busyTimeoutMs)
        const { set, undo, release } = standardSavepoint
        await schema.run(set)
        return {
          schema,
          session: used.session,
          get failure() {
            return used.failure
          },
          end: used.end,
          keep: () => schema.run(release!),
          async undo() {
            await schema.run(undo)
            await schema.run(release!)
          },
        }
      },
    })
  }

  plan(model: Model, options: PlanOptions = {}): Promise<SyncPlan> {
    return this.#schema((connection) => planSync(model, connection, sqliteSchema, options))
  }

  sync(model: Model, options: { readonly destructive?: boolean } = {}): Promise<SyncPlan> {
    return this.#schema(async (connection, own) => {
      const done = await applySync(model, connection, sqliteSchema, options)
      if (done.steps.length > 0) this.#compiler.learn(readFacts(own))
      return done
    })
  }

  introspect(options?: IntrospectOptions): Promise<Introspection> {
    return this.#schema(async (connection) => {
      const isWritable = this.#config.readOnly || !this.#database?.isReadOnly
      return introspect(connection, isWritable ? sqliteSchema : unwritable, options)
    })
  }

  async ping(): Promise<void> {
    const database = this.#database ?? (await this.#open())
    await database.read('reach the database', ({ raw }) => raw.prepare('select count(*) from sqlite_schema').get())
  }

  async constraintColumns({ table }: ObjectModel, constraint: string): Promise<readonly string[]> {
    const database = this.#database ?? (await this.#open())
    return database.read(`read the constraints of "${table}"`, ({ raw }) => {
      const create = raw.prepare('select sql from sqlite_master where name = ? collate nocase').pluck().get(table)
      const columns = raw.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[]
      return checkedColumns(String(create), columns, constraint)
    })
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const database = await this.#opening?.catch(() => undefined)
    this.#database = undefined
    if (database) await database.close()
    else await this.#main.close(undefined)
  }

  /** Opens the file once for all callers; after a failure the next call tries again. */
  #open(): Promise<Database> {
    if (this.#closing)
      return Promise.reject(new StoreError('unavailable', 'Cannot use the SQLite store: it was closed.'))
    return (this.#opening ??= Database.open(this.#config, this.#main).then(
      async (database) => {
        await this.#learn(database)
        return this.#closing ? database : (this.#database = database)
      },
      (error: unknown) => {
        this.#opening = undefined
        throw error
      },
    ))
  }

  /** A failure costs plans only, not answers. */
  async #learn(database: Database): Promise<void> {
    try {
      this.#compiler.learn(await database.read('read the schema', readFacts))
    } catch (error) {
      if (!StoreError.is(error)) throw error
    }
  }

  async #schema<T>(work: (connection: SchemaConnection, own: SqliteConnection) => Promise<T>): Promise<T> {
    const database = this.#database ?? (await this.#open())
    return database.exclusive(async (connection) => {
      try {
        return await work(createSchemaConnection(connection, this.#config.busyTimeoutMs), connection)
      } finally {
        // The pragma does nothing inside a transaction.
        if (connection.raw.inTransaction) connection.execute('rollback')
        connection.raw.pragma('foreign_keys = on')
        forgetKeys(connection.raw)
      }
    })
  }
}

/** The schema of a file that may only be read. One that was opened for reading by choice is described as others could use it. */
const unwritable: SchemaDialect = {
  ...sqliteSchema,
  async read(connection) {
    const catalogue = await sqliteSchema.read(connection)
    return { ...catalogue, tables: catalogue.tables.map((table) => ({ ...table, isWritable: false })) }
  },
}

function snapshotSearch(connection: SqliteConnection, compiler: Compiler): SnapshotSession['search'] {
  return async function* search(object, query) {
    const attempt = `search "${object.table}"`
    if (!connection.raw.open)
      throw new StoreError('internal', `Cannot ${attempt}: the snapshot of this session has ended.`)
    try {
      yield* connection.batches(compiler.search(object, query), snapshotBatch)
    } catch (error) {
      throw toStoreError(error, attempt)
    }
  }
}
