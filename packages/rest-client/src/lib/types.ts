/** The caller: a user with a password (sent as basic authentication until `login()`), or a token; or a function that knows. */
export type Credentials = { readonly login: string; readonly password: string } | { readonly token: string }

export interface ClientOptions {
  /** Base address of the service, e.g. `https://host/api/rest`. */
  readonly url: string
  /** Absent: calls are anonymous, or carry the cookies of the page. */
  readonly credentials?: Credentials | (() => Credentials | undefined | Promise<Credentials | undefined>) | undefined
  /**
   * Login of a user: calls answer what this user may read, and change nothing. Only administrators may ask for it. A
   * function is asked at each call. Default: calls are made with the rights of the credentials.
   */
  readonly viewAs?: string | (() => string | undefined) | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Most repetitions of a call after 429, 503 or a lost connection. Default 3; 0 for none. */
  readonly retries?: number | undefined
  /** Where `login` and `logout` are. Default: beside the base address, e.g. `https://host/api`. */
  readonly loginUrl?: string | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** What an answer holds beyond the default. */
export interface AnswerOptions<R = AnyRecord> extends CallOptions {
  /** Only these fields (and `row_id`). */
  readonly fields?: readonly FieldName<R>[] | undefined
  /** Add created_dt, created_by, updated_dt, updated_by. */
  readonly timestamps?: boolean | undefined
  /** Contents of document fields in place of their ids: all, or these. */
  readonly inlineDocuments?: true | readonly FieldName<R>[] | undefined
  readonly inlineThumbnails?: true | readonly FieldName<R>[] | undefined
}

/** A condition in the filter language of the service; several: one of them. Numbers and booleans are taken as they are. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]

/** Names of fields of a record: its own, those of its references, and the technical ones. */
export type FieldName<R> =
  | (keyof R & string)
  | `${keyof R & string}__${string}`
  | 'created_dt'
  | 'created_by'
  | 'updated_dt'
  | 'updated_by'

/** By field name, also joined fields and bounds such as `dmin__mov_date`. */
export type Filters<R> = {
  readonly [K in FieldName<R> | `${'dmin' | 'dmax' | 'nmin' | 'nmax'}__${FieldName<R>}`]?: FilterValue | undefined
}

export interface SearchOptions<R> extends AnswerOptions<R> {
  readonly filters?: Filters<R> | undefined
  /** A condition on several fields, which holds as well as `filters`: `(f like 'a%' or g__h = 1) and not i is null`. */
  readonly filter?: string | undefined
  /** Fields to sort by; `-` before a field turns it round. */
  readonly order?: readonly `${'' | '-' | '+'}${FieldName<R>}`[] | undefined
}

export interface WriteOptions<R = AnyRecord> extends AnswerOptions<R> {
  /** Refused with 412 unless the record still has this entity tag (`etag` of a `get`). */
  readonly ifMatch?: string | undefined
  /** Everything runs, nothing is kept. */
  readonly dryRun?: boolean | undefined
  /**
   * A repeat with the same key is answered like the first one, so a create can be repeated safely; `true`: a new key,
   * for the repetitions of this call.
   */
  readonly idempotencyKey?: string | true | undefined
}

/** Which page: by `cursor`, which stays stable while records are written and deleted, or by its number `page`, from 0 on. */
export interface PageOptions<R> extends SearchOptions<R> {
  /** The `cursor` of the page before; absent: the first page. */
  readonly cursor?: string | undefined
  readonly page?: number | undefined
  /** Records per page, 1 to 1,000. Default: that of the object. */
  readonly pageSize?: number | undefined
}

/** How a pivot table is answered. */
export interface CrosstabOptions extends CallOptions {
  /** A flat list of cells. Default false. */
  readonly cubes?: boolean | undefined
  /** A condition on several fields, as in `SearchOptions`. */
  readonly filter?: string | undefined
  /** Names of its lines and values to sort the lines by; `-` before a name turns it round. */
  readonly order?: readonly string[] | undefined
  /** A page of its lines, from 0 on. Default: all of them. */
  readonly page?: number | undefined
  /** Lines per page, 1 to 1,000. Default: that of the object. */
  readonly pageSize?: number | undefined
}

export interface Page<R> {
  readonly records: readonly R[]
  /** Gives the next page; absent on the last one, and on a page by number. */
  readonly cursor: string | undefined
}

export interface Count {
  readonly count: number
  readonly page: number
  readonly maxpage: number
  readonly pagesize: number
}

export interface IndexRecord<R> {
  readonly object: string
  readonly row_id: string
  readonly key: string
  readonly value: string
  readonly data: R
  readonly score: number
}

export interface Session {
  readonly authtoken: string
  /** Milliseconds since 1970. */
  readonly authtokenexpiry: number
  readonly login: string
  readonly userid: string
  readonly firstname: string
  readonly lastname: string
  readonly email: string
  readonly lang: string
}

/** A background action. */
export interface Task {
  readonly id: string
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  readonly done: number
  readonly total: number | null
  readonly text: string
  /** UTC, `yyyy-MM-dd HH:mm:ss`; empty while it waits for its turn. `ended` is empty until it has ended. */
  readonly started: string
  readonly ended: string
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

/** A change of a record, as the stream of events sends it. */
export interface ChangeEvent {
  /** Continues the stream after this event. */
  readonly id: string
  readonly object: string
  readonly row_id: string
  readonly action: 'create' | 'update' | 'delete'
  readonly [name: string]: unknown
}

export type BatchItem<K> =
  | { readonly action: 'create' | 'upsert'; readonly values: TypesOf<K>['create'] }
  | { readonly action: 'update'; readonly row_id: string; readonly values: TypesOf<K>['update'] }
  | { readonly action: 'delete'; readonly row_id: string }

/** What is known of an object: `RecordsOf` infers it, and `rest-client types` writes it, as the member `~types` of a record. */
export interface ObjectTypes {
  readonly record: unknown
  readonly create: unknown
  readonly update: unknown
  /** Parameters by name of the action. */
  readonly actions: unknown
  readonly crosstabs: string
  readonly publications: string
}

/** The same of a record type: where it says nothing else, what follows from its fields. */
export type TypesOf<K> = string extends keyof K
  ? RecordTypes<K>
  : K extends { readonly '~types'?: infer T extends ObjectTypes | undefined }
    ? '~types' extends keyof K
      ? NonNullable<T>
      : RecordTypes<K>
    : RecordTypes<K>

interface RecordTypes<R> extends ObjectTypes {
  readonly record: R
  readonly create: Input<R>
  readonly update: Input<R>
  readonly actions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** What a create or update may give: fields of the record; joined and technical ones are ignored. */
export type Input<R> = { readonly [F in keyof R]?: R[F] | null | (string extends R[F] ? NewDocument : never) }

/** A content to be stored in a document or image field. */
export interface NewDocument {
  readonly name: string
  readonly mime?: string | undefined
  /** Base64. */
  readonly content: string
}

/** The record that an action runs on, or the filters of those that it runs on. */
export interface ActionOptions<R> extends CallOptions, Pick<SearchOptions<R>, 'filters' | 'filter'> {
  readonly rowId?: string | undefined
}

/** Names of the actions of an object. */
export type ActionName<K> = keyof TypesOf<K>['actions'] & string

/** What an action is given: its parameters, which may be left out when none of them is required, and how it is called. */
export type ActionCall<K, A extends ActionName<K>, O> =
  Readonly<Record<string, never>> extends TypesOf<K>['actions'][A]
    ? [parameters?: TypesOf<K>['actions'][A], options?: O]
    : [parameters: TypesOf<K>['actions'][A], options?: O]

/** Any record: what an object without a type has. */
export interface AnyRecord {
  row_id: string
  // Values of an unknown object: the caller knows their types.
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any
}
