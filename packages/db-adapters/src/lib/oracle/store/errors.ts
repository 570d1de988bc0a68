import { StoreError, type Refusal } from '@steward/rest-core/errors'
import { isNetworkCode } from '../../pool/network-errors.js'

interface OracleError extends Error {
  /** Such as `ORA-00001`, `NJS-500`, `DPY-…`. */
  readonly code?: string
  /** The number of an `ORA-` error. */
  readonly errorNum?: number
}

/** The driver's or the server's error as a StoreError. Numbers: https://docs.oracle.com/error-help/db/ */
export function translateError(error: unknown): StoreError {
  if (StoreError.is(error)) return error
  const cause = error as OracleError
  const number = numberOf(cause)
  switch (number) {
    case 1: // unique constraint (%s) violated
      return new StoreError('unique', `Another row has the same value: ${cause.message}`, {
        cause,
        refusal: { constraint: constraintOf(cause) },
      })

    case 2266: // unique/primary keys in table referenced by enabled foreign keys
    case 2291: // integrity constraint (%s) violated - parent key not found
    case 2292: // integrity constraint (%s) violated - child record found
      return new StoreError('reference', `A reference is broken: ${cause.message}`, {
        cause,
        refusal: { constraint: constraintOf(cause) },
      })

    case 910: // specified length too long for its datatype
    case 932: // inconsistent datatypes
    case 1400: // cannot insert NULL into (%s)
    case 1402: // view WITH CHECK OPTION where-clause violation
    case 1407: // cannot update (%s) to NULL
    case 1426: // numeric overflow
    case 1438: // value larger than specified precision allowed for this column
    case 1461: // can bind a LONG value only for insert into a LONG column
    case 1476: // divisor is equal to zero
    case 1722: // invalid number
    case 1830: // date format picture ends before converting entire input string
    case 1839: // date not valid for month specified
    case 1840: // input value not long enough for date format
    case 1841: // (full) year must be between -4713 and +9999, and not be 0
    case 1843: // not a valid month
    case 1847: // day of month must be between 1 and last day of month
    case 1850: // hour must be between 0 and 23
    case 1858: // a non-numeric character was found where a numeric was expected
    case 1861: // literal does not match format string
    case 1867: // the interval is invalid
    case 1873: // the leading precision of the interval is too small
    case 2290: // check constraint (%s) violated
    case 12899: // value too large for column %s (actual: %d, maximum: %d)
    case 22835: // Buffer too small for CLOB to CHAR or BLOB to RAW conversion
    case 31495: // error in evaluating the condition of a check
    case 40441: // JSON syntax error
      return new StoreError('value', `The database refused a value: ${cause.message}`, {
        cause,
        refusal: refusalOf(cause),
      })

    case 60: // deadlock detected while waiting for resource
    case 8177: // can't serialize access for this transaction
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause, repeatable: true })

    case 54: // resource busy and acquire with NOWAIT specified or timeout expired
    case 4021: // timeout occurred while waiting to lock object
    case 30006: // resource busy; acquire with WAIT timeout expired
      return new StoreError('busy', `Others are changing the same rows or tables: ${cause.message}`, { cause })

    case 904: // %s: invalid identifier
    case 942: // table or view does not exist
    case 4043: // object %s does not exist
      return new StoreError('schema', `The table is not as described: ${cause.message}`, { cause })

    case 1005: // null password given; logon denied
    case 1017: // invalid username/password; logon denied
    case 1045: // user lacks CREATE SESSION privilege; logon denied
    case 28000: // the account is locked
    case 28001: // the password has expired
      return new StoreError('unavailable', `The database refused the connection: ${cause.message}`, { cause })

    case 16000: // database or pluggable database open for read-only access
      return new StoreError('readOnly', `The database takes no changes: ${cause.message}`, { cause })

    case 372: // file %s cannot be modified at this time (a read-only tablespace)
    case 1031: // insufficient privileges
    case 1720: // grant option does not exist for '%s'
    case 1732: // data manipulation operation not legal on this view
    case 1733: // virtual column not allowed here
    case 1776: // cannot modify more than one base table through a join view
    case 1779: // cannot modify a column which maps to a non key-preserved table
    case 12081: // update operation not allowed on table %s (it is read-only)
    case 28115: // policy with check option violation
    case 41900: // missing %s privilege on %s
    case 42399: // cannot perform a DML operation on a read-only view
      return new StoreError('right', `The database does not allow it: ${cause.message}`, { cause })

    case 4091: // table %s is mutating, trigger/function may not see it
    case 6508: // PL/SQL: could not find program unit being called
    case 4063: // %s has errors (a view of a table that is gone)
    case 4098: // trigger '%s' is invalid and failed re-validation
      return new StoreError('broken', `The table refers to what is missing: ${cause.message}`, { cause })

    case 18: // maximum number of sessions exceeded
    case 20: // maximum number of processes exceeded
    case 1033: // ORACLE initialization or shutdown in progress
    case 1034: // ORACLE not available
    case 1109: // database not open
    case 1113: // file needs media recovery
    case 1536: // space quota exceeded for tablespace
    case 1555: // snapshot too old
    case 1652: // unable to extend temp segment
    case 1653: // unable to extend table
    case 1654: // unable to extend index
    case 1688: // unable to extend table partition
    case 1691: // unable to extend lob segment
    case 2391: // exceeded simultaneous SESSIONS_PER_USER limit
    case 4031: // unable to allocate bytes of shared memory
    case 4036: // PGA memory used by the instance exceeds PGA_AGGREGATE_LIMIT
    case 12516: // listener could not find available handler
    case 12519: // no appropriate service handler found
    case 12520: // listener could not find available handler for requested type of server
      return new StoreError('unavailable', `The database cannot do it now: ${cause.message}`, { cause })

    case 1013: // user requested cancel of current operation
    case 40: // active time limit exceeded - call aborted
      return new StoreError('timeout', `The statement was ended: ${cause.message}`, { cause })
  }
  // raise_application_error of a trigger, no data or too many rows found by it, and a value that does not fit in it
  if ((number >= 20_000 && number <= 20_999) || [1403, 1422, 6502].includes(number))
    return new StoreError('value', `The database refused a value: ${cause.message}`, {
      cause,
      refusal: { why: 'trigger' },
    })
  if (cause.code === 'NJS-123')
    // call timeout of {ms} ms exceeded
    return new StoreError('timeout', `The statement was ended: ${cause.message}`, { cause })
  if (isConnectionLoss(cause))
    return new StoreError('unavailable', `The connection to the database is lost: ${cause.message}`, { cause })
  return new StoreError('internal', `The database failed: ${cause.message}`, { cause })
}

/** A transaction that is undone when its constraints are checked at its end says why in the next line. */
function numberOf({ errorNum, code, message }: OracleError): number {
  const numbers = [...message.matchAll(/ORA-(\d{5})/g)].map(([, digits]) => Number(digits))
  const first = errorNum ?? Number(/^ORA-(\d+)$/.exec(code ?? '')?.[1] ?? numbers[0] ?? 0)
  if (first === 2091) return numbers.find((each) => each !== 2091) ?? first
  // An error in a trigger comes with where it was.
  return first
}

const reasons: Readonly<Record<number, Refusal['why']>> = {
  1400: 'missing',
  1407: 'missing',
  910: 'length',
  1461: 'length',
  12899: 'length',
  22835: 'length',
  1426: 'range',
  1438: 'range',
  1841: 'range',
  1873: 'range',
  1722: 'form',
  1830: 'form',
  1839: 'form',
  1840: 'form',
  1843: 'form',
  1847: 'form',
  1850: 'form',
  1858: 'form',
  1861: 'form',
  1867: 'form',
  40441: 'form',
  1402: 'check',
  2290: 'check',
}

/** A constraint is `(OWNER.NAME)`, a column `("OWNER"."TABLE"."COLUMN")`. */
function refusalOf(cause: OracleError): Refusal {
  const column = /"[^"]+"\."[^"]+"\."([^"]+)"/.exec(cause.message)?.[1]
  return {
    why: reasons[numberOf(cause)],
    columns: column === undefined ? undefined : [column],
    constraint: column === undefined ? constraintOf(cause) : undefined,
  }
}

function constraintOf({ message }: OracleError): string | undefined {
  return /constraint \((?:[^).]*\.)?([^).]+)\)/.exec(message)?.[1]
}

/** The server's numbers for a session that no longer exists. */
const lost: ReadonlySet<number> = new Set([
  28, // your session has been killed
  31, // session marked for kill
  600, // internal error code
  603, // ORACLE server session terminated by fatal error
  1012, // not logged on
  1089, // immediate shutdown or close in progress - no operations are permitted
  1090, // shutdown in progress - connection is not permitted
  1092, // ORACLE instance terminated. Disconnection forced
  2396, // exceeded maximum idle time, please connect again
  2399, // exceeded maximum connect time, you are being logged off
  3113, // end-of-file on communication channel
  3114, // not connected to ORACLE
  3135, // connection lost contact
  12153, // TNS:not connected
  12154, // TNS:could not resolve the connect identifier specified
  12170, // TNS:Connect timeout occurred
  12505, // TNS:listener does not currently know of SID given in connect descriptor
  12514, // TNS:listener does not currently know of service requested in connect descriptor
  12528, // TNS:listener: all appropriate instances are blocking new connections
  12537, // TNS:connection closed
  12541, // TNS:no listener
  12543, // TNS:destination host unreachable
  12545, // Connect failed because target host or object does not exist
  12547, // TNS:lost contact
  12570, // TNS:packet reader failure
  12571, // TNS:packet writer failure
  12583, // TNS:no reader
  25408, // can not safely replay call
])

/**
 * The driver's codes:
 * - NJS-003: invalid or closed connection
 * - NJS-500: connection to the Oracle Database was broken
 * - NJS-501: connection to host could not be established
 * - NJS-503: connection to host could not be established
 * - NJS-510: connection to host timed out
 * - NJS-511: connection to host was refused
 * - NJS-512, NJS-513, NJS-514, NJS-515, NJS-516, NJS-517, NJS-518: wrong connect strings, services that are not known
 * - NJS-521: connection was closed by a timeout of the network
 */
const lostCodes = /^(?:NJS-(?:003|50[0-3]|51\d|52[01]|530)|DPY-(?:1001|4011|6\d{3})|DPI-(?:1010|1080))$/

/** Whether the connection on which this happened cannot be used any more. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as OracleError
  return lost.has(numberOf(error)) || lostCodes.test(code ?? '') || isNetworkCode(code)
}
