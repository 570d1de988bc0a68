import type { AggregateFunction, DatePart } from './aggregate.js'
import type { Caller } from './caller.js'
import type { ObjectDefinition } from './definition/definition.js'
import type { FieldValue } from './fields/field-value.js'
import type { Filter } from './filter/filter.js'
import type { BusinessRecord, Model, ObjectModel, Order, ReferenceModel, Selection } from './model/model.js'
import type { StoreKnex, StoreTransaction } from './store-types.js'

/** The driver's connection of a transaction, lent for statements between the calls of its session. */
export interface LentConnection {
  readonly connection: object
  /** To be called before each statement. */
  used(): void
  /** To be called when a statement failed: the transaction is undone then, whether or not its error is caught. */
  failed(error: unknown): void
}

/**
 * Values by field name, in their stored form; an absent field is left as it is. What consists of other fields (a row id or
 * a reference of several fields) is taken from those, whatever is given for itself.
 */
export type Values = { readonly [field: string]: FieldValue }

/**
 * Which linked rows a reader may see: of those that the path leads to, the ones that match. Through any other, joined fields
 * are empty, as if the link were missing: wherever a query selects, sorts or groups by them, and in the `guarded` terms of
 * its filter. All other terms, and the guards themselves, see every row.
 */
export interface Guard {
  /** References to follow from the queried object on; at least one. */
  readonly path: readonly ReferenceModel[]
  /** A filter of the object at the end of the path. */
  readonly where: Filter
}

export interface ReadOptions {
  readonly select: Selection
  /** The row must also match this. */
  readonly where?: Filter | undefined
  /**
   * Inside a transaction: no other transaction may change the row before its end; with `'delete'`, for a row that is about to go,
   * no new reference to it is allowed either. Rows that it refers to are not locked. `unique`: like `true`,
   * where the database promises that a row id has one row at most; views may know no locks. Default false.
   */
  readonly lock?: boolean | 'delete' | 'unique' | undefined
  readonly caller?: Caller | undefined
  /** Default: all linked rows may be seen. */
  readonly guards?: readonly Guard[] | undefined
}

export interface Query {
  readonly select: Selection
  readonly where?: Filter | undefined
  /** Empty values come first when ascending, last when descending; texts by code point. Ends with the row id. */
  readonly order: readonly Order[]
  /** Most records; absent: all, streamed. */
  readonly limit?: number | undefined
  /** Default 0. */
  readonly offset?: number | undefined
  readonly caller?: Caller | undefined
  /** Default: all linked rows may be seen. */
  readonly guards?: readonly Guard[] | undefined
}

export type CountOptions = Pick<Query, 'guards' | 'caller'>

export type UpdateRowOptions = Pick<ReadOptions, 'select' | 'where' | 'caller'>

/** One GROUP BY. */
export interface AggregateQuery {
  /** Fields of an ordered type, joined ones too; `by` for dates and datetimes only. None: one row of totals. */
  readonly groups: readonly { readonly field: string; readonly by?: DatePart | undefined }[]
  /**
   * `count` without a field counts rows, with one the rows where it is not empty; the others leave empty values out.
   * `sum` takes integers and decimals, `min` and `max` also dates, datetimes and times.
   */
  readonly values: readonly { readonly function: AggregateFunction; readonly field?: string | undefined }[]
  readonly where?: Filter | undefined
  /** Most groups; which of them, when there are more, is not said. Default: all. */
  readonly limit?: number | undefined
  readonly caller?: Caller | undefined
  /** Default: all linked rows may be seen. */
  readonly guards?: readonly Guard[] | undefined
}

/** One group. */
export interface AggregateRow {
  /** In the order of `groups`; empty values form a group of their own; a part of a date is a string. */
  readonly groups: readonly FieldValue[]
  /**
   * In the order of `values`, exact: `count` a number; `sum` digits (a string such as `-12.5`, without superfluous zeros,
   * so that nothing is rounded); `min` and `max` the field's value; `null` where there was none.
   */
  readonly values: readonly FieldValue[]
}

/** What is looked for in an index: all terms must be met. Words are normalised by `indexWords`. */
export interface IndexQuery {
  readonly select: Selection
  readonly terms: readonly IndexTerm[]
  readonly where?: Filter | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly caller?: Caller | undefined
  /** Default: all linked rows may be seen. */
  readonly guards?: readonly Guard[] | undefined
}

/** Words that follow each other; with `prefix` the last one is the start of a word. */
export interface IndexTerm {
  readonly words: readonly string[]
  readonly prefix: boolean
}

export interface IndexHit {
  readonly record: BusinessRecord
  /** The better the higher; comparable within one answer. */
  readonly score: number
}

/**
 * Reads and writes inside or outside a transaction. All methods throw `StoreError` only; a row that is not there is an
 * answer (`undefined`, `false`), never an error, and a lost connection is never "not there".
 */
export interface StoreSession {
  /**
   * The row, or `undefined` when there is none or it does not match `where`. An id in another form than the one that
   * records have (`01`, ` 1`) is not a row's; the same holds for `update` and `delete`.
   */
  get(object: ObjectModel, rowId: string, options: ReadOptions): Promise<BusinessRecord | undefined>
  /**
   * Matching rows in batches: arrays of 1 to 1,000 records, with about `batchBytes` or less unless a single record has more.
   * Within that, a search with a `limit` of at most 1,000 comes as one batch.
   * Reading stops, and all its resources are released, when the consumer stops. Memory stays flat whatever the number of rows.
   */
  search(object: ObjectModel, query: Query): AsyncIterable<readonly BusinessRecord[]>
  count(object: ObjectModel, where?: Filter, options?: CountOptions): Promise<number>
  /**
   * Groups matching rows in one pass; in no particular order. Where a table holds one value in several forms, e.g. NULL and
   * the empty text, its group may come in several rows. @throws StoreError `internal` without the capability.
   */
  aggregate(object: ObjectModel, query: AggregateQuery): Promise<readonly AggregateRow[]>
  /** Rows whose index holds the terms, best first, then by row id. @throws StoreError `internal` without the capability. */
  searchIndex(object: ObjectModel, query: IndexQuery): Promise<readonly IndexHit[]>
  /** Number of rows whose index holds the terms. @throws StoreError `internal` without the capability. */
  countIndex(object: ObjectModel, query: Pick<IndexQuery, 'terms' | 'where' | 'guards' | 'caller'>): Promise<number>
  /**
   * Inserts a row with these fields (the others are empty) and gives it back with its new row id. @throws StoreError `value`
   * when a field is missing that is part of the row id.
   */
  insert(object: ObjectModel, values: Values, select: Selection, caller?: Caller): Promise<BusinessRecord>
  /**
   * Changes these fields only; `undefined` when the row is not there or does not match `where` before the change.
   * @throws StoreError `value` for another value of a field that is part of the row id.
   */
  update(
    object: ObjectModel,
    rowId: string,
    values: Values,
    options: UpdateRowOptions,
  ): Promise<BusinessRecord | undefined>
  /** `false` when the row is not there or does not match `where`. Rows that refer to it follow their reference's `onDelete`. */
  delete(object: ObjectModel, rowId: string, where?: Filter, caller?: Caller): Promise<boolean>
  /**
   * Inside a transaction: once it is committed, everything that listens on the channel is called, on all stores on the
   * database. Absent: not supported.
   */
  notify?(channel: string): Promise<void>
  /**
   * Inside a transaction: the driver's connection that it runs on, for `ObjectStore.knexWithin`. Absent: not supported.
   *
   * @throws StoreError after the end of the transaction, and after a statement that failed
   */
  lend?(): Promise<LentConnection>
}

/** What a store can do, as frozen data; the contract suite reads it. */
export interface StoreCapabilities {
  /** Stable name, e.g. `sqlite`. */
  readonly name: string
  /** Rows survive `close()`. */
  readonly persistent: boolean
  /** `sync` makes and migrates tables; without it the plan is always empty. */
  readonly migrations: boolean
  /** `introspect` works; without it, it rejects with StoreError `internal`. */
  readonly introspection: boolean
  /** Several transactions that write may be open at once; without it they wait for each other. */
  readonly concurrentWriters: boolean
  /** `aggregate` works. */
  readonly aggregation: boolean
  /** `searchIndex` and `countIndex` work. */
  readonly indexSearch: boolean
  /** Documents can be kept in columns (`storage: column`); otherwise `sync` refuses them. Default false. */
  readonly columnDocuments?: boolean
  /** `like` also ignores the case of letters beyond A–Z. */
  readonly likeFoldsUnicode: boolean
}

/** Reads of one moment. */
export type SnapshotSession = Pick<StoreSession, 'search'>

/** Inserts rows with their row ids; absent fields are empty. */
export type InsertRows = (object: ObjectModel, rows: readonly Values[]) => Promise<void>

/**
 * Where records are kept. Implementations: memory (this package), and one per database in `@steward/db-adapters`.
 * Factories check options and do no I/O; the first call connects.
 */
export interface ObjectStore extends StoreSession {
  readonly capabilities: StoreCapabilities
  /**
   * The instance of knex that the store stands on: its connections are those of the store, and statements on it are no part of
   * any transaction of the store. Absent: the store does not stand on knex (memory).
   */
  readonly knex?: StoreKnex
  /**
   * An instance of knex whose statements run within a transaction of this store. Its own transactions are savepoints.
   * Absent: as `knex`.
   *
   * @param lend Gives the connection of that transaction (`StoreSession.lend`); called before each statement.
   */
  knexWithin?(lend: () => Promise<LentConnection>): StoreKnex
  /**
   * Runs `work` as one transaction: committed when it resolves, undone when it rejects (its error is passed on).
   * Only the given session takes part in it, and is of no use afterwards (StoreError). Not nested.
   * After a refused statement the work should reject too; when it does not, the rest is either kept or the call rejects.
   */
  transaction<T>(work: (session: StoreSession) => Promise<T>, caller?: Caller): Promise<T>
  /**
   * Runs reads that all see the moment at which they started, while others write. Absent: not supported.
   *
   * @param work The session is of no use afterwards.
   */
  snapshot?<T>(work: (session: SnapshotSession) => Promise<T>): Promise<T>
  /**
   * Fills the tables of a model, which are empty and not in use, as one transaction. Rows come with their row
   * ids, in any order: references are checked at the end. Rows that are inserted later get ids that are not taken.
   * Absent: not supported.
   *
   * @throws StoreError `reference`, `unique`, `value`; nothing is kept then.
   */
  load?<T>(model: Model, work: (insert: InsertRows) => Promise<T>): Promise<T>
  /**
   * A store whose calls are part of a transaction that the application has started. Each call, and each `transaction`, is a
   * savepoint: a failure undoes that one only. Settings of the session that calls need are put back after each. Calls run
   * one after the other. `sync`, `load` and `snapshot` are refused; `close` closes nothing. Of no use after the end of the
   * transaction. Absent: not supported.
   *
   * @param transaction A transaction of knex, of the instance that the store stands on or of another one.
   * @throws TypeError for anything else
   */
  within?(transaction: StoreTransaction): ObjectStore
  /**
   * Listens on a channel, on a connection of its own. A connection that is lost is opened again by itself; until then,
   * notices are missed. Absent: not supported.
   *
   * @param onNotice Called soon after each transaction that notified the channel; also whenever listening has started, since
   * notices may have been missed before.
   * @returns ends listening; so does `close`.
   */
  listen?(channel: string, onNotice: () => void): () => Promise<void>
  /** What `sync` would do; changes nothing. */
  plan(model: Model, options?: PlanOptions): Promise<SyncPlan>
  /**
   * Makes tables, columns, indexes and foreign keys follow the model; data is kept. Idempotent.
   * @throws StoreError `schema` naming the steps, when a step would lose data and `destructive` is not set; nothing is changed then.
   */
  sync(model: Model, options?: { readonly destructive?: boolean }): Promise<SyncPlan>
  /** Definitions of the tables and views that are there. @throws StoreError `schema` for a schema that is not there */
  introspect(options?: IntrospectOptions): Promise<Introspection>
  /**
   * Columns of the object's table that a constraint or unique index is about; empty when the database does not say. Asked
   * after a refusal that names it. Absent: refusals of this store name columns themselves.
   */
  constraintColumns?(object: ObjectModel, constraint: string): Promise<readonly string[]>
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /**
   * Lets running transactions and writes end, then closes what was opened here; later calls are StoreError
   * `unavailable`. May be called twice.
   */
  close(): Promise<void>
}

export interface PlanOptions {
  /** Also reads the rows, for `losses` and `refusal`. Default false. */
  readonly rows?: boolean
}

export interface SyncPlan {
  readonly steps: readonly SyncStep[]
  /** Columns that no field uses any more. They are kept, and dropped only by a destructive sync. */
  readonly leftover: readonly { readonly table: string; readonly column: string }[]
  /**
   * What `sync` would run, in this order, for other tools to review and run; of `plan` only. Values are not checked as `sync`
   * does before it starts. Absent when there is nothing to do.
   */
  readonly sql?: readonly SqlStatement[]
  /** Why there is no `sql`: a step that needs more than statements, which only `sync` can do. */
  readonly noSql?: string
  /** What a destructive sync would lose, one entry per column. Only when the rows were read. */
  readonly losses?: readonly SyncLoss[]
  /** Why the rows do not allow any sync, destructive or not: values that must be unique are not. Only when the rows were read. */
  readonly refusal?: string
}

/** A statement of a plan. */
export interface SqlStatement {
  /** Without a semicolon at its end. */
  readonly sql: string
  /** Places in `steps` of those that it belongs to; none for what frames the others: transactions, settings. */
  readonly steps: readonly number[]
}

/** A column whose values a destructive sync would drop or convert. */
export interface SyncLoss {
  readonly table: string
  readonly column: string
  /** For people, e.g. `change column movie.mov_name from string(80) to string(40)`. */
  readonly description: string
  /** Rows that have a value. */
  readonly values: number
  /** Those whose value would be dropped, cut, rounded or emptied. */
  readonly lost: number
}

export interface SyncStep {
  readonly kind:
    | 'createTable'
    | 'createView'
    | 'dropView'
    | 'renameTable'
    | 'addColumn'
    | 'renameColumn'
    | 'changeColumn'
    | 'dropColumn'
    | 'addIndex'
    | 'dropIndex'
    | 'addForeignKey'
    | 'dropForeignKey'
  readonly table: string
  readonly column?: string
  /** For people, e.g. `add column movie.mov_year (integer)`. */
  readonly description: string
  /** Data could be lost: refused unless asked for. */
  readonly destructive: boolean
}

export interface IntrospectOptions {
  /** Schemas to read, where the database has several. Default: the one of the connection. */
  readonly schemas?: readonly string[] | undefined
}

export interface Introspection {
  readonly objects: readonly ObjectDefinition[]
  /** Tables that cannot be served, and columns that are left out of a table that is, each with the reason, e.g. no primary key. */
  readonly skipped: readonly { readonly table: string; readonly column?: string; readonly reason: string }[]
  /** What was assumed about tables that are served, for people. */
  readonly notes?: readonly { readonly table: string; readonly text: string }[]
}
