import type { Readable } from 'node:stream'
import type { ErrorMessage } from '../../errors.js'
import type { Crosstab } from '../crosstabs/crosstab.js'
import type {
  FiltersOf,
  InputOf,
  NamesIn,
  ObjectDefinition,
  ParametersOf,
  RecordOf,
  SortName,
  UpdateOf,
} from '../definition/definition.js'
import type { ByteRange, DocumentInfo } from '../documents/document-store.js'
import type { ByteUse } from '../byte-budget.js'
import type { FieldValue } from '../fields/field-value.js'
import type { Filter } from '../filter/filter.js'
import type { MetadataContext } from '../metadata/context.js'
import type { ObjectMetadata } from '../metadata/metadata.js'
import type { BusinessRecord, Model, Order } from '../model/model.js'
import type { PublishedDocument } from '../publications/publication.js'
import type { Principal, RightLetter } from '../rights/rights.js'
import type { StoreKnex, StoreTransaction } from '../store-types.js'

/** An object by its name, or by its definition, which also types the records. */
export type ObjectName = string | ObjectDefinition

export type RecordFor<O extends ObjectName> = O extends ObjectDefinition ? RecordOf<O> : BusinessRecord

/** Whether the fields are known to the compiler: a definition made by `defineObject`. */
type Exact<O, Yes, No> = O extends ObjectDefinition ? (string extends keyof O['fields'] ? No : Yes) : No

/** What a creation takes: the values of a definition's fields, or, for an object by its name, what a client sent. */
export type ValuesFor<O extends ObjectName> = O extends ObjectDefinition ? Exact<O, InputOf<O>, unknown> : unknown

/** The same for an update. */
export type ChangesFor<O extends ObjectName> = O extends ObjectDefinition ? Exact<O, UpdateOf<O>, unknown> : unknown

/** Fields that an answer may hold. */
export type FieldNameOf<O extends ObjectName> = O extends ObjectDefinition ? Exact<O, SortName<O>, string> : string

/** An answer with these fields; `never`: with those of the default. */
export type AnswerFor<O extends ObjectName, F extends string> = [F] extends [never]
  ? RecordFor<O>
  : Exact<O, { [K in F | 'row_id']: K extends keyof RecordFor<O> ? RecordFor<O>[K] : FieldValue }, BusinessRecord>

/** Actions of a definition, or any name. */
type ActionNameOf<O> = Exact<O, NamesIn<O, 'actions'>, string>

/** Pivot tables of a definition, or any name. */
type CrosstabNameOf<O> = Exact<O, NamesIn<O, 'crosstabs'>, string>

/** Publications of a definition, or any name. */
type PublicationNameOf<O> = Exact<O, NamesIn<O, 'publications'>, string>

/** Document and image fields of a definition, or any name. */
type DocumentNameOf<O> = O extends ObjectDefinition ? Exact<O, DocumentNames<O['fields']>, string> : string

type DocumentNames<Fields> = {
  [K in keyof Fields & string]: Fields[K] extends { type: 'document' | 'image' } ? K : never
}[keyof Fields & string]

type ActionOf<O, A extends string> = O extends { actions: { readonly [K in A]: infer Found } } ? Found : unknown

/** What an action takes, by name of the parameter. */
type ParametersFor<O, A extends string> = Exact<
  O,
  ActionOf<O, A> extends { parameters: object } ? ParametersOf<ActionOf<O, A>> : { readonly [name: string]: never },
  { readonly [name: string]: unknown }
>

/** What its `run` answers. */
type ResultFor<O, A extends string> = Exact<
  O,
  ActionOf<O, A> extends { run(...context: never): infer R } ? Awaited<R> : unknown,
  unknown
>

/** Whether a call of it may answer a task in place of the result. */
type MayBeTask<O, A extends string> = Exact<
  O,
  ActionOf<O, A> extends { background: true } ? true : ActionOf<O, A> extends { background: boolean } ? true : false,
  true
>

/** One item of a batch with the fields of a definition. */
type BatchItemOf<O extends ObjectDefinition> =
  | { readonly action: 'create'; readonly row_id?: undefined; readonly values: InputOf<O> }
  | { readonly action: 'upsert'; readonly row_id?: undefined; readonly values: UpdateOf<O> }
  | { readonly action: 'update'; readonly row_id?: string | undefined; readonly values: UpdateOf<O> }
  | { readonly action: 'delete'; readonly row_id?: string | undefined; readonly values?: UpdateOf<O> | undefined }

/** Options whose fields are those of the object. */
export type OptionsFor<Options extends AnswerOptions, F extends string> = Omit<Options, 'fields'> & {
  /** Only these fields (and `row_id`). */
  readonly fields?: readonly F[] | undefined
}

/** A search for records of the object. */
export type SearchFor<O extends ObjectName, F extends string> = Omit<SearchRequest, 'fields' | 'filters'> & {
  /** Only these fields (and `row_id`). */
  readonly fields?: readonly F[] | undefined
  /** Texts by field name in the filter language: all must hold; several texts of one field: one of them. */
  readonly filters?: (O extends ObjectDefinition ? Exact<O, FiltersOf<O>, FilterTexts> : FilterTexts) | undefined
}

/** A search for the records of a pivot table; its `order` names lines and values of the table. */
export type CrosstabSearchFor<O extends ObjectName> = Omit<SearchFor<O, FieldNameOf<O>>, 'fields'>

/** What an answer holds beyond the default. */
export interface AnswerOptions {
  /** Only these fields (and `row_id`). */
  readonly fields?: readonly string[] | undefined
  /** Add created_dt, created_by, updated_dt, updated_by. Default false. */
  readonly timestamps?: boolean | undefined
  /** Contents of document and image fields in place of their ids: all, or these fields. Default none. */
  readonly inlineDocuments?: true | readonly string[] | undefined
  /** The same for thumbnails of image fields. */
  readonly inlineThumbnails?: true | readonly string[] | undefined
  /**
   * Counts what the answer holds in memory: contents of documents before they are read, records of a batch and of an index
   * search. Default: only contents are limited, those of one record together.
   */
  readonly memory?: ByteUse | undefined
}

export interface GetOptions extends AnswerOptions {
  /**
   * In a transaction: no other caller changes or deletes the record before its end, and what is answered is how it is once
   * others, who may be changing it now, have ended. From code, never by a client's wish. Default false.
   */
  readonly lock?: boolean | undefined
}

export interface SearchRequest extends AnswerOptions {
  /** Texts by field name in the filter language: all must hold; several texts of one field: one of them. */
  readonly filters?: FilterTexts | undefined
  /** A condition on several fields, in the form of row filters of grants; holds as well as `filters`. */
  readonly expression?: string | undefined
  /** A parsed filter, from code; holds as well as `filters`. Never built from a client's input. */
  readonly filter?: Filter | undefined
  /** Default: the object's. The row id is added at the end. */
  readonly order?: readonly Order[] | undefined
  /** 0-based; absent: all records. */
  readonly page?: number | undefined
  /** Records per page, 1 to 1,000. Default: the object's. */
  readonly pageSize?: number | undefined
  /** In place of `page`: records that follow the place of this cursor, which `nextCursor` gave; `''` starts. */
  readonly cursor?: string | undefined
  /** Aborted when the client no longer waits for the answer: the database may stop, and the call rejects. */
  readonly signal?: AbortSignal | undefined
}

/** Texts by field name, also bounds `dmin__f dmax__f nmin__f nmax__f`. */
export type FilterTexts = { readonly [name: string]: string | readonly string[] }

export interface CountResult {
  readonly count: number
  readonly page: number
  /** 0-based number of the last page; number of pages = maxpage + 1. */
  readonly maxpage: number
  readonly pagesize: number
}

export interface WriteOptions extends AnswerOptions {
  /**
   * The values are those of a record from elsewhere: read-only, create-only and technical fields are taken too, and any
   * state. For imports; from code, never by a client's wish. Default false.
   */
  readonly restore?: boolean | undefined
}

export interface UpdateOptions extends WriteOptions {
  /**
   * Refused with ERR_PRECONDITION unless it is true for the record as this user would get it now; undefined: the user may
   * change the record and not read it.
   */
  readonly precondition?:
    | ((record: BusinessRecord | undefined, contentId: ContentId) => boolean | Promise<boolean>)
    | undefined
}

/** The id of the content that a document field of the record keeps in its column, by the field's name; empty without one. */
export type ContentId = (field: string) => Promise<string>

export interface UpsertOptions extends UpdateOptions {
  /** The functional key, in the order of its fields; values need not repeat it, and may not name another one. */
  readonly key?: readonly FieldValue[] | undefined
}

/** A request that is carried out once, however often it is sent. */
export interface OnceRequest {
  /** Chosen by the client, distinct for each of its requests. */
  readonly key: string
  /** Equal for repeats of the same request; at most 64 characters. */
  readonly fingerprint: string
  /** Asked before a kept answer is given again, since rights may have been taken away meanwhile. Default: nothing. */
  readonly needs?: readonly NeededRight[] | undefined
}

/** A right that a request needs. */
export interface NeededRight {
  readonly object: ObjectName
  /** One of these. */
  readonly letters: readonly RightLetter[]
  /** The row filter of the right must cover this record, if it still exists. */
  readonly rowId?: string | undefined
  readonly action?: string | undefined
  readonly publication?: string | undefined
}

/** An answer that repeats of its request get again. */
export interface KeptAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

export interface IndexSearchRequest extends SearchRequest {
  /** Words; all must be met; `word*` is a prefix, `"some words"` a phrase. Case and accents are ignored. */
  readonly text: string
}

/** Source: docs/spec/rest-service.md, "Index record"; `score` is an addition. */
export interface IndexRecord {
  readonly object: string
  readonly row_id: string
  /** Values of the functional key. */
  readonly key: string
  /** Values of the indexed fields. */
  readonly value: string
  /** The record as a search answers it. */
  readonly data: BusinessRecord
  /** The better the higher. */
  readonly score: number
}

export interface RebuildOptions {
  /** Called from time to time, and at the end of each object. */
  readonly onProgress?: ((progress: RebuildProgress) => void) | undefined
  /** Ends the work after the rows that it is at; what was done is kept. */
  readonly signal?: AbortSignal | undefined
}

export interface RebuildProgress {
  readonly object: string
  /** Rows looked at so far. */
  readonly rows: number
  /** Rows that were written. */
  readonly changed: number
}

export interface ActionRequest {
  /** Record-level call: the record. */
  readonly rowId?: string | undefined
  /** By name, JSON values or texts. */
  readonly parameters?: { readonly [name: string]: unknown } | undefined
  /** Global call: which records. */
  readonly search?: SearchRequest | undefined
}

/** A call of an action of the object: its parameters, which may be left out when none is required, and what it runs on. */
export type ActionCallFor<O extends ObjectName, A extends string> =
  Readonly<Record<string, never>> extends ParametersFor<O, A>
    ? [request?: ActionRequestFor<O> & { readonly parameters?: ParametersFor<O, A> | undefined }]
    : [request: ActionRequestFor<O> & { readonly parameters: ParametersFor<O, A> }]

type ActionRequestFor<O extends ObjectName> = Pick<ActionRequest, 'rowId'> & {
  /** Global call: which records. */
  readonly search?: SearchFor<O, FieldNameOf<O>> | undefined
}

/** What such a call answers; a task only where the action runs in the background. */
export type ActionResultFor<O extends ObjectName, A extends string> =
  | { readonly result: ResultFor<O, A> }
  | (MayBeTask<O, A> extends true ? { readonly task: Task } : never)

/** `background`: it keeps running as this task, whose state `task` returns. */
export type ActionResult = { readonly result: unknown } | { readonly task: Task }

/** A background action. */
export interface Task {
  readonly id: string
  readonly object: string
  readonly action: string
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  readonly done: number
  readonly total: number | null
  readonly text: string
  /** UTC, `yyyy-MM-dd HH:mm:ss`; empty while it waits for its turn. `ended` is empty until it has ended. */
  readonly started: string
  readonly ended: string
  /** When done. */
  readonly result?: unknown
  /** When failed: what a direct call would have answered. */
  readonly error?: { readonly code: string; readonly message: string }
}

export interface MetadataRequest {
  /** What it is for. Default `none`. */
  readonly context?: MetadataContext
  /** For this record. Default: for the object. */
  readonly rowId?: string | undefined
}

export interface PublicationRequest {
  readonly rowId?: string | undefined
  /** Global call: which records. */
  readonly search?: SearchRequest | undefined
  /** Aborted when the client no longer waits for the document. Default: that of `search`. */
  readonly signal?: AbortSignal | undefined
}

/** A document or image of a record. */
export interface DocumentContent extends DocumentInfo {
  /** Opens the content, or its bytes `start` to `end` (inclusive). */
  open(range?: ByteRange): Promise<Readable>
}

/** What is said about a document that is uploaded. */
export interface UploadedDocument {
  /** File name. */
  readonly name: string
  /** Default: from the name. */
  readonly mime?: string | undefined
  /** Bytes, when known: one that is too large is then refused before it travels. */
  readonly size?: number | undefined
}

/** One item of a batch. */
export interface BatchItem {
  readonly action: 'create' | 'update' | 'delete' | 'upsert'
  /** For update and delete; or the functional key in `values` identifies the record. */
  readonly row_id?: string | undefined
  readonly values?: unknown
}

export interface BatchOptions extends AnswerOptions {
  /** Default true: all or nothing. */
  readonly atomic?: boolean | undefined
  /** Nothing is kept of any item; when all are written as one, use `dryRun` around the batch as well. Takes 1,000 items. */
  readonly dryRun?: boolean | undefined
  /** Aborted when the client no longer waits: the batch ends, undone when it is all or nothing. */
  readonly signal?: AbortSignal | undefined
}

/** An item of a batch on the object. */
export type BatchItemFor<O extends ObjectName> = O extends ObjectDefinition
  ? Exact<O, BatchItemOf<O>, BatchItem>
  : BatchItem

/** Per item, in order: the record (`{row_id}` for a delete), or why not. */
export type BatchResult<R = BusinessRecord> =
  | { readonly status: 200; readonly record: R | { readonly row_id: string } }
  | {
      readonly status: number
      readonly error: string
      readonly code: string
      readonly messages: readonly ErrorMessage[]
    }

export interface RepeatOptions {
  /**
   * Run the work again from its start, a few times, when the database undid it to let another transaction proceed. What it
   * does elsewhere than in the database then happens again, too. Default false.
   */
  readonly repeat?: boolean | undefined
}

export interface TransactionOptions extends RepeatOptions {
  /**
   * Whose transaction it is: users share the connections of the database, and take turns to write where it has a single
   * writer. Default: that of the user whose action or hook has this service, otherwise of no user.
   */
  readonly principal?: Principal | undefined
  /** Aborted when the client no longer waits: a transaction that waits for its turn is given up. */
  readonly signal?: AbortSignal | undefined
}

/** A service within a transaction of knex, which the application commits or rolls back. */
export interface JoinedTransaction {
  /** For calls before the transaction ends. Background actions are waited for. */
  readonly service: BusinessObjects
  /** To be called once the transaction was committed: reports changes, and removes documents that were replaced. */
  committed(): Promise<void>
  /** To be called once the transaction was rolled back: removes documents that were stored for it. */
  rolledBack(): Promise<void>
}

/**
 * The service: rights, validation, rules and hooks around an ObjectStore. All methods throw `RestError`.
 * Source: docs/spec/rest-service.md, "Endpoints".
 */
export interface BusinessObjects {
  readonly model: Model
  /**
   * Creates a record. For an object by its name `values` is what a client sent: field names to JSON values; joined, read-only
   * fields and `row_id` are ignored.
   */
  create<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    values: ValuesFor<O>,
    options?: OptionsFor<WriteOptions, F>,
  ): Promise<AnswerFor<O, F>>
  /** @throws RestError ERR_NOT_FOUND, ERR_INTERNAL for a lock outside of a transaction */
  get<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    rowId: string,
    options?: OptionsFor<GetOptions, F>,
  ): Promise<AnswerFor<O, F>>
  /** Changes the given fields. @throws RestError ERR_NOT_FOUND, ERR_VALIDATION, ERR_CONFLICT, ERR_PRECONDITION */
  update<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    rowId: string,
    values: ChangesFor<O>,
    options?: OptionsFor<UpdateOptions, F>,
  ): Promise<AnswerFor<O, F>>
  /** @throws RestError ERR_NOT_FOUND, ERR_CONFLICT when other records refer to it */
  delete(
    principal: Principal,
    object: ObjectName,
    rowId: string,
    options?: Pick<UpdateOptions, 'precondition'>,
  ): Promise<{ row_id: string }>
  /** Matching records in batches; without `page` all of them, streamed. Errors of the request are thrown by the call itself, before any row. */
  search<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    request?: SearchFor<O, F>,
  ): Promise<AsyncIterable<readonly AnswerFor<O, F>[]>>
  count<O extends ObjectName>(
    principal: Principal,
    object: O,
    request?: SearchFor<O, FieldNameOf<O>>,
  ): Promise<CountResult>
  /**
   * The cursor after a record that a search with the same request and `cursor` gave; `undefined` when no other record
   * followed it. @throws RestError ERR_BAD_REQUEST when the record's values are too long for a cursor
   */
  nextCursor(principal: Principal, object: ObjectName, request: SearchRequest, last: BusinessRecord): string | undefined
  /** The row id of the record with this functional key, in the order of the key's fields. @throws RestError ERR_NOT_FOUND */
  findByKey(principal: Principal, object: ObjectName, key: readonly FieldValue[]): Promise<string>
  /** Updates the record whose functional key is among `values`, or creates it. */
  upsert<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    values: ChangesFor<O>,
    options?: OptionsFor<UpsertOptions, F>,
  ): Promise<{ readonly created: boolean; readonly record: AnswerFor<O, F> }>
  /** Writes several records of an object: as one transaction, or each on its own. @throws RestError when all or nothing, naming the item. */
  batch<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    items: readonly BatchItemFor<O>[],
    options?: OptionsFor<BatchOptions, F>,
  ): Promise<readonly BatchResult<AnswerFor<O, F>>[]>
  /**
   * Hashes the passwords in bodies that are about to be written within a transaction, before it keeps others waiting: a write
   * of the same body finds them. A write, or a batch, with a transaction of its own does so itself.
   */
  hashPasswords(
    principal: Principal,
    object: ObjectName,
    bodies: readonly unknown[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<void>
  /** Records found by words, best first. `object` absent: over all indexed objects that this user may read. */
  indexSearch(
    principal: Principal,
    object: ObjectName | undefined,
    request: IndexSearchRequest,
  ): Promise<readonly IndexRecord[]>
  /** How many records such a search finds; over all objects as well. */
  countIndex(principal: Principal, object: ObjectName | undefined, request: IndexSearchRequest): Promise<CountResult>
  /**
   * Brings the index in step with rows that were not written by this service, or before the object was indexed, or with
   * another definition of it; resolves to the number of changed rows. Readers and writers continue meanwhile.
   *
   * @param object Default: all indexed objects.
   */
  rebuildIndex(object?: ObjectName, options?: RebuildOptions): Promise<number>
  /** @throws RestError ERR_NOT_FOUND, ERR_RIGHT, ERR_VALIDATION for parameters */
  action<O extends ObjectName, const A extends ActionNameOf<O>>(
    principal: Principal,
    object: O,
    name: A,
    ...request: ActionCallFor<O, A>
  ): Promise<ActionResultFor<O, A>>
  /** A background action that this user started (any, for one who may do everything). @throws RestError ERR_NOT_FOUND */
  task(principal: Principal, id: string): Promise<Task>
  /** Asks a background action to stop. @throws RestError ERR_NOT_FOUND */
  cancelTask(principal: Principal, id: string): Promise<Task>
  /**
   * How many records a global action or publication would be about. Neither is run.
   *
   * @throws RestError ERR_NOT_FOUND, ERR_RIGHT, ERR_BAD_REQUEST
   */
  countFor<O extends ObjectName, const K extends 'actions' | 'publications'>(
    principal: Principal,
    object: O,
    kind: K,
    name: K extends 'actions' ? ActionNameOf<O> : PublicationNameOf<O>,
    search?: SearchFor<O, FieldNameOf<O>>,
  ): Promise<CountResult>
  publish<O extends ObjectName>(
    principal: Principal,
    object: O,
    name: PublicationNameOf<O>,
    request?: PublicationRequest,
  ): Promise<PublishedDocument>
  /**
   * Over the records that the filters of the request match. Its order names lines and values of the pivot table, its page
   * is one of the lines. @throws RestError ERR_NOT_FOUND, ERR_BAD_REQUEST
   */
  crosstab<O extends ObjectName>(
    principal: Principal,
    object: O,
    name: CrosstabNameOf<O>,
    request?: CrosstabSearchFor<O>,
  ): Promise<Crosstab>
  /** How many lines it has without subtotals, and how many pages they make. */
  countCrosstab<O extends ObjectName>(
    principal: Principal,
    object: O,
    name: CrosstabNameOf<O>,
    request?: CrosstabSearchFor<O>,
  ): Promise<CountResult>
  /**
   * The structure of an object and what this user may do with it, or, with a row id, with that record now.
   *
   * @throws RestError ERR_RIGHT, ERR_NOT_FOUND
   */
  metadata(principal: Principal, object: ObjectName, request?: MetadataRequest): Promise<ObjectMetadata>
  /** The document or image in a field of a record. @throws RestError ERR_NOT_FOUND */
  document<O extends ObjectName>(
    principal: Principal,
    object: O,
    rowId: string,
    field: DocumentNameOf<O>,
  ): Promise<DocumentContent>
  /** Its thumbnail as WebP. @throws RestError ERR_NOT_FOUND, also for what is not a picture */
  thumbnail<O extends ObjectName>(
    principal: Principal,
    object: O,
    rowId: string,
    field: DocumentNameOf<O>,
  ): Promise<Uint8Array>
  /** Puts a document into a field of a record, as a stream of any length up to the field's limit; answers the record. */
  upload<O extends ObjectName, const F extends FieldNameOf<O> = never>(
    principal: Principal,
    object: O,
    rowId: string,
    field: DocumentNameOf<O>,
    content: Readable,
    document: UploadedDocument,
    options?: OptionsFor<UpdateOptions, F>,
  ): Promise<AnswerFor<O, F>>
  /** Runs everything that `work` asks for (rights, hooks, validation, the database's own checks) and keeps nothing of it. */
  dryRun<T>(work: (service: BusinessObjects) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Carries out a request once per user and key: its answer is kept in the same transaction, for a day, and answered to
   * repeats. A request that is refused leaves nothing. Needs the system object `IdempotencyKey` in the model.
   *
   * @throws RestError ERR_CONFLICT when the key was used for another request
   */
  once(
    principal: Principal,
    request: OnceRequest,
    work: (service: BusinessObjects) => Promise<KeptAnswer>,
    options?: RepeatOptions,
  ): Promise<{ readonly replayed: boolean; readonly answer: KeptAnswer }>
  /**
   * Runs several calls as one transaction: all are kept when `work` resolves, none when it rejects. Inside it, use the
   * given service; on a bound service (in a hook) it takes part in the running transaction, which is repeated, if at all,
   * by the code that opened it.
   */
  transaction<T>(work: (service: BusinessObjects) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Runs `work` in a transaction of knex, with this service within it: commits when `work` resolves, rolls back when it
   * rejects (its error is passed on), and reports changes (`onChange`) after the commit. `work` does not end the transaction
   * itself.
   *
   * @param knex The application's instance, or the one of the store (`store.knex`).
   * @throws RestError ERR_INTERNAL when the store cannot do it, ERR_BAD_REQUEST within a transaction of the service
   *
   * @example
   * await service.withTransaction(knex, async (inside, trx) => {
   *   await inside.create(principal, 'Order', { ord_code: 'A1' })
   *   await trx('ledger').insert({ code: 'A1' })
   * })
   */
  withTransaction<T>(
    knex: StoreKnex,
    work: (service: BusinessObjects, transaction: StoreTransaction) => Promise<T>,
  ): Promise<T>
  /**
   * This service within a transaction of knex that the application has started (`ObjectStore.within`): records, audit entries
   * and events are kept or undone together with what the application writes. Each call is a savepoint: one that is refused
   * leaves the transaction as it was. Say how it ended by `committed` or `rolledBack`: until then no change is reported
   * (`onChange`), and replaced documents are not removed. `withTransaction` does all of it.
   *
   * @throws RestError ERR_INTERNAL when the store cannot do it, ERR_BAD_REQUEST within a transaction of the service
   *
   * @example
   * const trx = await knex.transaction()
   * const joined = service.within(trx)
   * await joined.service.create(principal, 'Order', { ord_code: 'A1' })
   * await trx('ledger').insert({ code: 'A1' })
   * await trx.commit()
   * await joined.committed()
   */
  within(transaction: StoreTransaction): JoinedTransaction
  /**
   * An instance of knex on the database of the service, for any statement. Within a transaction of the service (in hooks of
   * writes, in direct actions, in the work of `transaction`) its statements see, and are kept or undone with, what the
   * service writes, and one that fails fails the transaction; its own transactions are savepoints. Anywhere else (in hooks of
   * reads, in background actions) it is the instance of the store: each statement is kept by itself. Rights, hooks, events and
   * the audit trail know nothing of such statements. Made by its first use, which throws RestError ERR_INTERNAL when the store
   * does not stand on knex (memory).
   *
   * @example
   * await service.knex('stock').where({ sto_item: item }).decrement('sto_count', 1)
   */
  readonly knex: StoreKnex
  /** How many background actions wait or run in this process. */
  openTasks(): number
  /**
   * Aborts running actions (their `signal`), lets background ones end for a moment (option `tasks.graceMs`), and starts no
   * new ones. Leaves the store open. May be called twice.
   */
  close(): Promise<void>
}
