import { StoreError, type Refusal } from '@steward/rest-core/errors'
import { isNetworkCode } from '../../pool/network-errors.js'

interface PostgresqlError extends Error {
  readonly code?: string
  /** Only on errors that the server sent. */
  readonly severity?: string
  readonly column?: string
  readonly constraint?: string
  readonly detail?: string
  /** Functions and statements in which it happened; absent for the statement itself. */
  readonly where?: string
}

/**
 * The driver's or the server's error as a StoreError.
 * Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function translateError(error: unknown): StoreError {
  if (StoreError.is(error)) return error
  const cause = error as PostgresqlError
  if (isInTrigger(cause)) return triggerError(cause)
  switch (cause.code ?? '') {
    case '23505': // duplicate key value violates unique constraint "%s"
    case '23P01': // conflicting key value violates exclusion constraint "%s"
      return new StoreError('unique', `Another row has the same value: ${cause.message}`, {
        cause,
        refusal: { columns: keyColumns(cause), constraint: cause.constraint },
      })

    case '23001': // update or delete on table "%s" violates RESTRICT setting of foreign key constraint "%s" on table "%s"
    case '23503': // insert or update on table "%s" violates foreign key constraint "%s" / update or delete on … on table "%s"
      return new StoreError('reference', `A reference is broken: ${cause.message}`, { cause })

    case '22000': // data exception, of other kinds than the following
    case '22001': // value too long for type character varying(%d)
    case '22003': // numeric field overflow / value "%s" is out of range for type bigint
    case '22007': // invalid input syntax for type date: "%s"
    case '22008': // date/time field value out of range: "%s"
    case '22009': // time zone displacement out of range: "%s"
    case '22015': // interval field value out of range: "%s"
    case '22P04': // malformed array literal: "%s"
    case '2202E': // multidimensional arrays must have sub-arrays with matching dimensions
    case '2200N': // invalid XML content
    case '22021': // invalid byte sequence for encoding "UTF8": %s
    case '22025': // invalid escape string / LIKE pattern must not end with escape character
    case '22030': // duplicate JSON object key value
    case '22032': // invalid JSON text
    case '22P02': // invalid input syntax for type uuid: "%s" / invalid input value for enum %s: "%s"
    case '22P03': // incorrect binary data format in bind parameter %d
    case '22P05': // character with byte sequence %s in encoding "UTF8" has no equivalent in encoding "%s"
    case '23502': // null value in column "%s" of relation "%s" violates not-null constraint
    case '23514': // new row for relation "%s" violates check constraint "%s"
    case '428C9': // cannot insert a non-DEFAULT value into column "%s"
    case '44000': // new row violates check option for view "%s"
    case '54000': // index row size %d exceeds btree version %d maximum %d for index "%s"
      return new StoreError('value', `The database refused a value: ${cause.message}`, {
        cause,
        refusal: refusalOf(cause),
      })

    case '40001': // could not serialize access due to concurrent update
    case '40P01': // deadlock detected
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause, repeatable: true })

    case '55006': // database "%s" is being accessed by other users
    case '55P03': // canceling statement due to lock timeout / could not obtain lock on row in relation "%s"
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause })

    case '42P01': // relation "%s" does not exist
    case '42703': // column "%s" does not exist
    case '3F000': // schema "%s" does not exist
    case '42704': // collation "%s" for encoding "UTF8" does not exist / type "%s" does not exist
    case '42804': // column "%s" is of type %s but expression is of type %s
    case '42883': // operator does not exist: %s = %s
      return new StoreError('schema', `The table is not as described: ${cause.message}`, { cause })

    case '08000': // connection exceptions
    case '08001':
    case '08003':
    case '08004':
    case '08006':
    case '08007':
    case '08P01': // protocol violation
    case '25P03': // terminating connection due to idle-in-transaction timeout
    case '57P01': // terminating connection due to administrator command
    case '57P02': // terminating connection because of crash of another server process
    case '57P03': // the database system is starting up / is shutting down / is in recovery mode
    case '57P04': // database dropped
    case '57P05': // terminating connection due to idle-session timeout
      return new StoreError('unavailable', `The connection to the database is lost: ${cause.message}`, { cause })

    case '28000': // no pg_hba.conf entry for host "%s", user "%s", database "%s" / role "%s" does not exist
    case '28P01': // password authentication failed for user "%s"
    case '3D000': // database "%s" does not exist
      return new StoreError('unavailable', `The database refused the connection: ${cause.message}`, { cause })

    case '25006': // cannot execute %s in a read-only transaction
      return new StoreError('readOnly', `The database takes no changes: ${cause.message}`, { cause })

    case '58P01': // could not open file "%s" for reading: No such file or directory (of a foreign table)
      return new StoreError('broken', `The table refers to what is missing: ${cause.message}`, { cause })

    case '42809': // cannot change materialized view "%s"
    case '0A000': // cannot insert into a view with columns that are not updatable, and other features that it lacks
    case '42501': // permission denied for table %s / new row violates row-level security policy for table "%s"
    case '55000': // cannot insert into view "%s"
      return new StoreError('right', `The database does not allow it: ${cause.message}`, { cause })

    case '53000': // insufficient resources
    case '53100': // could not extend file "%s": No space left on device
    case '53200': // out of memory / out of shared memory
    case '53300': // sorry, too many clients already
    case '53400': // temporary file size exceeds temp_file_limit
    case '58000': // system error
    case '58030': // could not read block %u in file "%s": I/O error
      return new StoreError('unavailable', `The database cannot do it now: ${cause.message}`, { cause })

    case '57014': // canceling statement due to statement timeout / due to user request
      return new StoreError('timeout', `The statement was ended: ${cause.message}`, { cause })
  }
  if (isConnectionLoss(cause)) {
    return new StoreError('unavailable', `The database cannot be reached: ${cause.message || cause.code}`, { cause })
  }
  return new StoreError('internal', `The database failed: ${cause.message}`, { cause })
}

/**
 * Errors that functions of the database raise: P0001 by default, or any other code that is not the server's, and those of
 * programs. Statements of functions may also name what is missing.
 */
function isInTrigger({ code = '', severity, where = '' }: PostgresqlError): boolean {
  if (severity !== 'ERROR' || code.length !== 5) return false
  if (!ownClasses.test(code)) return true
  return /^(?:09|27|38|39|P0)/.test(code) || (code.startsWith('42') && code !== '42501' && /\bfunction\b/.test(where))
}

function triggerError(cause: PostgresqlError): StoreError {
  if (cause.code?.startsWith('42'))
    return new StoreError('broken', `A trigger refers to what is missing: ${cause.message}`, { cause })
  return new StoreError('value', `The database refused a value: ${cause.message}`, {
    cause,
    refusal: { ...refusalOf(cause), why: 'trigger' },
  })
}

/** First two characters of the server's own codes. */
const ownClasses = /^(?:0[0-9A-Z]|2[0-9A-Z]|3[0-9A-Z]|4[0-4]|5[3-8]|72|F0|HV|P0|XX)/

const reasons: Readonly<Record<string, Refusal['why']>> = {
  '22001': 'length',
  '54000': 'length',
  '22003': 'range',
  '22008': 'range',
  '22009': 'range',
  '22015': 'range',
  '2202E': 'form',
  '22021': 'characters',
  '22P05': 'characters',
  '23502': 'missing',
  '23514': 'check',
  '44000': 'check',
  '22007': 'form',
  '22P02': 'form',
  '22032': 'form',
}

function refusalOf({ code = '', column, constraint, message }: PostgresqlError): Refusal {
  const length = /^value too long for type \S.*\((\d+)\)$/.exec(message)?.[1]
  return {
    why: reasons[code],
    columns: column === undefined ? undefined : [column],
    constraint,
    // The last quoted text; a type of two words is not quoted.
    value: /(?:: |value )"(.*)"/s.exec(message)?.[1],
    length: length === undefined ? undefined : Number(length),
  }
}

/** `Key (a, "B")=(1, 2) already exists.`, whatever the language; a key with expressions has no columns. */
function keyColumns({ detail = '' }: PostgresqlError): string[] | undefined {
  const names = /\((.*?)\)=\(/s.exec(detail)?.[1]?.split(', ')
  return names?.every((name) => /^(?:[^"()]+|"[^"]+")$/.test(name))
    ? names.map((name) => name.replaceAll('"', ''))
    : undefined
}

/** Whether the connection on which this happened cannot be used any more. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, severity, message } = error as PostgresqlError
  if (severity === undefined) return isNetworkCode(code) || driverTexts.some((text) => message?.startsWith(text))
  return severity === 'FATAL' || severity === 'PANIC' || (code !== undefined && /^(?:08|57P0|25P03)/.test(code))
}

/** pg's own errors have no codes. */
const driverTexts = [
  'Connection terminated', // also: unexpectedly, due to connection timeout
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'timeout expired', // connecting took longer than connectionTimeoutMillis
  'Query read timeout',
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
  'Received unexpected ', // … message from backend.
]

/**
 * Whether a statement was refused because its prepared form is out of date, so that nothing of it ran:
 * - 26000: prepared statement "%s" does not exist
 * - 0A000: cached plan must not change result type (a column was changed meanwhile)
 */
export function isStaleStatement(error: unknown): boolean {
  const { code, message } = error as PostgresqlError
  return code === '26000' || (code === '0A000' && message.startsWith('cached plan'))
}

/** Within a transaction the refusal has ended the transaction. */
export function staleStatement(cause: unknown): StoreError {
  return new StoreError('busy', 'A table was changed during the transaction.', { cause, repeatable: true })
}
