/** One thing that is wrong with a request, in the form that travels to the client. */
export interface ErrorMessage {
  /** Stable upper-case code, e.g. `ERR_REQUIRED`. */
  code: MessageCode
  /** The field it is about, when it is about one. */
  field?: string
  /** All of them, when it is about several: a key, or a rule of the database. */
  fields?: readonly string[]
  /** Place of the item of a batch that it is about, from 0 on. */
  item?: number
  /** What is wrong and what to do, for people. */
  text: string
}

/** Messages of one error; further ones are only counted. Not specified; chosen as more than a person corrects in one go. */
export const mostMessages = 100

/** Codes of messages. Source: docs/spec/wire-decisions.md, "errors"; codes are API, texts are not. */
export type MessageCode =
  | 'ERR_REQUIRED'
  | 'ERR_USERKEY'
  | 'ERR_ENUM'
  | 'ERR_TYPE'
  | 'ERR_LENGTH'
  | 'ERR_PATTERN'
  | 'ERR_REFERENCE'
  | 'ERR_UNKNOWN_FIELD'
  | 'ERR_TRANSITION'
  | ErrorCode
  | (string & {})

/** Codes of errors as a whole; each has one HTTP status. */
export type ErrorCode = keyof typeof statusOf

/** HTTP status per error code. Source: docs/spec/wire-decisions.md, "errors". */
export const statusOf = {
  ERR_VALIDATION: 400,
  ERR_BAD_REQUEST: 400,
  ERR_FILTER: 400,
  ERR_CREDENTIALS: 401,
  ERR_RIGHT: 403,
  ERR_ORIGIN: 403,
  ERR_NOT_FOUND: 404,
  ERR_METHOD: 405,
  ERR_TIMEOUT: 408,
  ERR_CONFLICT: 409,
  ERR_PRECONDITION: 412,
  ERR_TOO_LARGE: 413,
  ERR_MEDIA_TYPE: 415,
  ERR_EXPECTATION: 417,
  ERR_TOO_MANY: 429,
  ERR_HEADERS: 431,
  ERR_INTERNAL: 500,
  ERR_UNAVAILABLE: 503,
} as const

/** The same symbols in every copy of this package. */
const brands = {
  RestError: Symbol.for('@steward/rest-core/RestError'),
  DefinitionError: Symbol.for('@steward/rest-core/DefinitionError'),
  StoreError: Symbol.for('@steward/rest-core/StoreError'),
}

function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && brand in value
}

/** Every expected failure of the service: a stable `code`, an HTTP `status`, and all messages at once. */
export class RestError extends Error {
  readonly code: ErrorCode
  /** HTTP status that fits the code. */
  readonly status: number
  /** What is wrong, the first 100 of it; empty when the error's own message says everything. */
  readonly messages: readonly ErrorMessage[]
  /** Seconds after which another try makes sense (429 and 503). */
  readonly retryAfterSeconds: number | undefined

  static {
    Object.defineProperty(this.prototype, brands.RestError, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is RestError {
    return hasBrand(value, brands.RestError)
  }

  constructor(
    code: ErrorCode,
    message: string,
    options: { messages?: readonly ErrorMessage[]; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'RestError'
    this.code = code
    this.status = statusOf[code]
    const { messages = [] } = options
    this.messages = messages.length > mostMessages ? messages.slice(0, mostMessages) : messages
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** A refused record: the first text is the message, all of them travel. */
  static validation(messages: readonly ErrorMessage[], cause?: unknown): RestError {
    return new RestError('ERR_VALIDATION', summary(messages), { messages, cause })
  }

  /** A duplicate functional key or a row that others refer to (409). */
  static conflict(messages: readonly ErrorMessage[], cause?: unknown): RestError {
    return new RestError('ERR_CONFLICT', summary(messages), { messages, cause })
  }

  /** `what` is a noun with its name, e.g. `Object "Foo"`. */
  static notFound(what: string): RestError {
    return new RestError('ERR_NOT_FOUND', `${what} does not exist, or you may not see it.`)
  }
}

/** Wrong object definitions; `messages` lists every mistake, each with its place. */
export class DefinitionError extends Error {
  readonly code = 'ERR_DEFINITION'
  readonly messages: readonly string[]

  static {
    Object.defineProperty(this.prototype, brands.DefinitionError, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is DefinitionError {
    return hasBrand(value, brands.DefinitionError)
  }

  constructor(messages: readonly string[], options?: { cause?: unknown }) {
    super(messages.join('\n'), options)
    this.name = 'DefinitionError'
    this.messages = messages
  }
}

/**
 * What an ObjectStore throws; vendor errors are translated into it in one place per adapter.
 * - `unique`: a unique index refused the write
 * - `reference`: a foreign key refused it (the linked row is missing, or others refer to the row)
 * - `value`: the database refused a value (too long, out of range, against a rule); `refusal` says more
 * - `unavailable`: no connection, server stopping; a retry may help
 * - `overloaded`: too much waits already, of this user or of all; a retry may help
 * - `busy`: a lock or deadlock; a retry of the whole transaction may help
 * - `timeout`: the statement took too long, or the caller no longer waits for its answer
 * - `right`: the database's user lacks a right, or a rule of the table (row-level security) refuses the row
 * - `readOnly`: the server takes no changes now, e.g. a standby; a retry may help after it was promoted
 * - `broken`: a foreign key, trigger or view of the table refers to something that is missing; `refusal` may name it
 * - `rows`: the write met another number of rows than one, and was undone
 * - `size`: the answer has more bytes than one may have; ask for less
 * - `schema`: a table or column is missing
 * - `internal`: anything else
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly retry: boolean
  /** What the database said about the row, with `unique`, `value` and `broken`. */
  readonly refusal: Refusal | undefined
  /**
   * The database undid the whole transaction at once to let another one proceed (a deadlock, a serialization failure):
   * run again from its start, it is likely to succeed.
   */
  readonly repeatable: boolean

  static {
    Object.defineProperty(this.prototype, brands.StoreError, { value: true })
  }

  /** Whether it is one, of this or of another installed copy of this package; `instanceof` knows only those of its own copy. */
  static is(value: unknown): value is StoreError {
    return hasBrand(value, brands.StoreError)
  }

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { cause?: unknown; refusal?: Refusal | undefined; repeatable?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StoreError'
    this.code = code
    this.refusal = options.refusal
    this.repeatable = options.repeatable ?? false
    this.retry = code === 'unavailable' || code === 'overloaded' || code === 'busy' || code === 'readOnly'
  }
}

export type StoreErrorCode =
  | 'unique'
  | 'reference'
  | 'value'
  | 'unavailable'
  | 'overloaded'
  | 'busy'
  | 'timeout'
  | 'right'
  | 'readOnly'
  | 'broken'
  | 'rows'
  | 'size'
  | 'schema'
  | 'internal'

/** What a database said about a row that it refused; what it did not say is absent. */
export interface Refusal {
  /**
   * - `missing`: a column has no default and was not given
   * - `length`, `range`: the value is too long for its column, or too large or too small
   * - `form`: the value is not of the column's type, e.g. no UUID
   * - `characters`: the column's character set lacks some of the value's characters
   * - `check`: a CHECK constraint or the rule of a domain
   * - `trigger`: a trigger raised an error
   */
  readonly why?: 'missing' | 'length' | 'range' | 'form' | 'characters' | 'check' | 'trigger' | undefined
  /** The columns at fault. */
  readonly columns?: readonly string[] | undefined
  /** Name of the constraint or index; the condition itself where it has no name. With `broken`: what does not fit. */
  readonly constraint?: string | undefined
  /** The refused value as the database showed it. */
  readonly value?: string | undefined
  /** Most characters that the column holds. */
  readonly length?: number | undefined
}

function summary(messages: readonly ErrorMessage[]): string {
  const [first] = messages
  if (!first) return 'The request is not valid.'
  if (messages.length === 1) return first.text
  const more = messages.length > mostMessages ? `at least ${mostMessages}` : messages.length - 1
  return `${first.text} (and ${more} more)`
}
