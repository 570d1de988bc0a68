import { StoreError, type Refusal } from '@steward/rest-core/errors'
import { isNetworkCode } from '../../pool/network-errors.js'

interface MssqlError extends Error {
  /** The driver's code, e.g. `ETIMEOUT`. */
  readonly code?: string
  /** Only on errors that the server sent. */
  readonly number?: number
  /** Severity; from 20 on the server closes the connection. */
  readonly class?: number
}

/**
 * The driver's or the server's error as a StoreError, by number.
 * Numbers: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
 */
export function translateError(error: unknown): StoreError {
  if (StoreError.is(error)) return error
  const cause = firstOf(error)
  switch (cause.number ?? 0) {
    case 2601: // Cannot insert duplicate key row in object '%.*ls' with unique index '%.*ls'. The duplicate key value is %ls.
    case 2627: // Violation of %ls constraint '%.*ls'. Cannot insert duplicate key in object '%.*ls'. The duplicate key value is %ls.
    case 1505: // The CREATE UNIQUE INDEX statement terminated because a duplicate key was found …
      return new StoreError('unique', `Another row has the same value: ${cause.message}`, {
        cause,
        refusal: { constraint: constraintOf(cause) },
      })

    case 547: // The %ls statement conflicted with the %ls constraint "%.*ls". The conflict occurred in database …
      // CHECK constraints have the same number; the word is not translated, but not every server writes it large.
      return /\bCHECK\b|\bcheck constraint\b/.test(cause.message)
        ? value(cause, { why: 'check', constraint: constraintOf(cause) })
        : new StoreError('reference', `A reference is broken: ${cause.message}`, { cause })

    case 515: // Cannot insert the value NULL into column '%.*ls', table '%.*ls'; column does not allow nulls. %ls fails.
      return value(cause, { why: 'missing', columns: columnOf(cause) })
    case 2628: // String or binary data would be truncated in table '%.*ls', column '%.*ls'. Truncated value: '%.*ls'.
      return value(cause, { why: 'length', columns: columnOf(cause) })
    case 8152: // String or binary data would be truncated.
    case 1946: // Operation failed. The index entry of length %d bytes for the index '%.*ls' exceeds the maximum length …
    case 511: // Cannot create a row of size %d which is greater than the allowable maximum row size of %d.
      return value(cause, { why: 'length' })
    case 220: // Arithmetic overflow error for data type %ls, value = %ld.
    case 232: // Arithmetic overflow error for type %ls, value = %f.
    case 242: // The conversion of a %ls data type to a %ls data type resulted in an out-of-range value.
    case 248: // The conversion of the %ls value '%.*ls' overflowed an int column.
    case 8115: // Arithmetic overflow error converting %ls to data type %ls.
    case 1007: // The number '%.*ls' is out of the range for numeric representation (maximum precision 38).
      return value(cause, { why: 'range' })
    case 241: // Conversion failed when converting date and/or time from character string.
    case 245: // Conversion failed when converting the %ls value '%.*ls' to data type %ls.
    case 257: // Implicit conversion from data type %ls to %ls is not allowed. Use the CONVERT function to run this query.
    case 295: // Conversion failed when converting character string to smalldatetime data type.
    case 8114: // Error converting data type %ls to %ls.
    case 8169: // Conversion failed when converting from a character string to uniqueidentifier.
    case 13609: // JSON text is not properly formatted.
      return value(cause, { why: 'form' })
    case 271: // The column "%.*ls" cannot be modified because it is either a computed column or is the result of a UNION operator.
    case 544: // Cannot insert explicit value for identity column in table '%.*ls' when IDENTITY_INSERT is set to OFF.
    case 550: // The attempted insert or update failed because the target view … specifies WITH CHECK OPTION …
    case 8102: // Cannot update identity column '%.*ls'.
      return value(cause, {})
    case 3609: // The transaction ended in the trigger. The batch has been aborted.
    case 3616: // An error was raised during trigger execution. The batch has been aborted and the user transaction, if any, has been rolled back.
    case 50000: // what a trigger raised
      return value(cause, { why: 'trigger' })

    case 1205: // Transaction (Process ID %d) was deadlocked on %.*ls resources … and has been chosen as the deadlock victim.
    case 3960: // Snapshot isolation transaction aborted due to update conflict.
    case 3961: // Snapshot isolation transaction failed … because the object accessed by the statement has been modified by a DDL statement
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause, repeatable: true })
    case 1222: // Lock request time out period exceeded.
    case 5061: // ALTER DATABASE failed because a lock could not be placed on database '%.*ls'.
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause })

    case 207: // Invalid column name '%.*ls'.
    case 208: // Invalid object name '%.*ls'.
    case 206: // Operand type clash: %ls is incompatible with %ls
    case 402: // The data types %s and %s are incompatible in the %s operator.
    case 468: // Cannot resolve the collation conflict between "%.*ls" and "%.*ls" in the %ls operation.
    case 2812: // Could not find stored procedure '%.*ls'.
    case 4902: // Cannot find the object "%.*ls" because it does not exist or you do not have permissions.
      return new StoreError('schema', `The table is not as described: ${cause.message}`, { cause })

    case 3952: // Snapshot isolation transaction failed accessing database '%.*ls' because snapshot isolation is not allowed …
      return new StoreError(
        'unavailable',
        `The database does not keep earlier versions of rows, which are needed to read all of them as of one moment: ${cause.message} Allow it once: alter database current set allow_snapshot_isolation on.`,
        { cause },
      )

    case 4060: // Cannot open database "%.*ls" requested by the login. The login failed.
    case 18452: // Login failed. The login is from an untrusted domain …
    case 18456: // Login failed for user '%.*ls'.
    case 18470: // Login failed for user '%.*ls'. Reason: The account is disabled.
    case 18486: // Login failed for user '%.*ls' because the account is currently locked out.
    case 18487: // Login failed for user '%.*ls'. Reason: The password of the account has expired.
    case 18488: // Login failed for user '%.*ls'. Reason: The password of the account must be changed.
    case 40615: // Cannot open server '%.*ls' requested by the login. Client with IP address '%.*ls' is not allowed to access the server.
      return new StoreError('unavailable', `The database refused the connection: ${cause.message}`, { cause })

    case 3906: // Failed to update database "%.*ls" because the database is read-only.
    case 3908: // Could not run BEGIN TRANSACTION in database '%.*ls' because the database is in emergency mode or is damaged
      return new StoreError('readOnly', `The database takes no changes: ${cause.message}`, { cause })

    case 229: // The %ls permission was denied on the object '%.*ls', database '%.*ls', schema '%.*ls'.
    case 230: // The %ls permission was denied on the column '%.*ls' of the object '%.*ls', database '%.*ls', schema '%.*ls'.
    case 262: // %ls permission denied in database '%.*ls'.
    case 297: // The user does not have permission to perform this action.
    case 300: // %ls permission was denied on object '%.*ls', database '%.*ls'.
    case 4403: // Cannot update the view or function '%.*ls' because it contains aggregates, or a DISTINCT or GROUP BY clause
    case 4405: // View or function '%.*ls' is not updatable because the modification affects multiple base tables.
    case 4406: // Update or insert of view or function '%.*ls' failed because it contains a derived or constant field.
    case 33504: // The attempted operation failed because the target object '%.*ls' has a block predicate that conflicts with this operation.
      return new StoreError('right', `The database does not allow it: ${cause.message}`, { cause })

    case 4413: // Could not use view or function '%.*ls' because of binding errors.
      return new StoreError('broken', `The table refers to what is missing: ${cause.message}`, { cause })

    case 701: // There is insufficient system memory in resource pool '%ls' to run this query.
    case 802: // There is insufficient memory available in the buffer pool.
    case 1101: // Could not allocate a new page for database '%.*ls' because of insufficient disk space
    case 1105: // Could not allocate space for object '%.*ls' in database '%.*ls' because the '%.*ls' filegroup is full.
    case 8645: // A timeout occurred while waiting for memory resources to execute the query
    case 9002: // The transaction log for database '%.*ls' is full
    case 10928: // Resource ID: %d. The %s limit for the database is %d and has been reached.
    case 10929: // Resource ID: %d. … the server is currently too busy …
    case 17809: // Could not connect because the maximum number of '%ld' user connections has already been reached.
    case 40197: // The service has encountered an error processing your request. Please try again.
    case 40501: // The service is currently busy.
    case 40544: // The database has reached its size quota.
    case 40613: // Database '%.*ls' on server '%.*ls' is not currently available.
    case 49918: // Cannot process request. Not enough resources to process request.
    case 49919: // Cannot process create or update request. Too many create or update operations in progress
    case 49920: // Cannot process request. Too many operations in progress
      return new StoreError('unavailable', `The database cannot do it now: ${cause.message}`, { cause })
  }
  // Numbers of "throw" in triggers; the one is what servers that speak the protocol give to errors of their own.
  if ((cause.number ?? 0) > 50_000 && cause.number !== 33_557_097) return value(cause, { why: 'trigger' })
  if (cause.code === 'ECANCEL' || isOverdue(cause))
    return new StoreError('timeout', `The statement was ended: ${cause.message}`, { cause })
  if (isConnectionLoss(cause))
    return new StoreError('unavailable', `The database cannot be reached: ${cause.message || cause.code}`, { cause })
  return new StoreError('internal', `The database failed: ${cause.message}`, { cause })
}

/** A statement may have several; those that only say that it has ended come last. */
function firstOf(error: unknown): MssqlError {
  if (!(error instanceof AggregateError)) return error as MssqlError
  const errors = error.errors as MssqlError[]
  return errors.find(({ number }) => number !== 3621) ?? error
}

function value(cause: MssqlError, refusal: Refusal): StoreError {
  return new StoreError('value', `The database refused a value: ${cause.message}`, { cause, refusal })
}

/** Messages quote names in one of two ways, in every language; a table comes with its schema. */
function constraintOf({ number, message }: MssqlError): string | undefined {
  const [, named] = /\bcheck constraint "([^"]+)"/i.exec(message) ?? []
  if (named !== undefined) return named
  const quoted = [...message.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, one, other]) => one ?? other)
  return number === 2601 ? quoted[1] : quoted[0]
}

function columnOf({ number, message }: MssqlError): string[] | undefined {
  const quoted = [...message.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? '')
  const name = number === 2628 ? quoted[1] : quoted[0]
  return name === undefined ? undefined : [name]
}

const driverCodes: ReadonlySet<string | undefined> = new Set([
  'ESOCKET',
  'ECLOSE',
  'ELOGIN',
  'ETIMEOUT', // of connecting
  'EINVALIDSTATE',
  'ECONNCLOSED',
  'EINSTLOOKUP',
  'EENCRYPT',
  'EFEDAUTH',
])

/** Whether the connection on which this happened cannot be used any more. */
export function isConnectionLoss(error: unknown): boolean {
  const cause = firstOf(error)
  const { code, class: severity = 0 } = cause
  if (severity >= 20) return true
  return !isOverdue(cause) && (driverCodes.has(code) || isNetworkCode(code))
}

/** The target table '%.*ls' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause. */
export function isRefusedForTriggers(error: unknown): boolean {
  return firstOf(error).number === 334
}

/** Connecting that takes too long has the same code. */
function isOverdue(error: MssqlError): boolean {
  return error.code === 'ETIMEOUT' && error.constructor.name === 'RequestError'
}
