import { StoreError, type Refusal } from '@steward/rest-core/errors'
import { isNetworkCode } from '../../pool/network-errors.js'

interface MysqlError extends Error {
  readonly code?: string
  /** Only on errors that the server sent, and on those of the network (negative). */
  readonly errno?: number
  readonly sqlState?: string
  /** Set by the driver when the connection cannot be used any more. */
  readonly fatal?: boolean
}

/** Unhandled user-defined exception condition */
const signalled = 1644

/**
 * The driver's or the server's error as a StoreError.
 * Numbers: https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html,
 * https://mariadb.com/docs/server/reference/error-codes/mariadb-error-code-reference
 */
export function translateError(error: unknown): StoreError {
  if (StoreError.is(error)) return error
  const cause = error as MysqlError
  // A trigger may signal its own number with the state for such errors.
  switch (cause.sqlState?.startsWith('45') ? signalled : (cause.errno ?? 0)) {
    case 1022: // Can't write; duplicate key in table '%s'
    case 1062: // Duplicate entry '%s' for key '%s'
    case 1169: // Can't write, because of unique constraint, to table '%s'
    case 1586: // Duplicate entry '%s' for key '%s'
    case 1761: // Foreign key constraint for table '%s', record '%s' would lead to a duplicate entry in table '%s', key '%s'
    case 1762: // Foreign key constraint for table '%s', record '%s' would lead to a duplicate entry in a child table
      return new StoreError('unique', `Another row has the same value: ${cause.message}`, {
        cause,
        // MySQL puts the table before the index, MariaDB does not.
        refusal: { constraint: /for key '(?:.*\.)?([^'.]+)'$/.exec(cause.message)?.[1] },
      })

    case 1216: // Cannot add or update a child row: a foreign key constraint fails
    case 1217: // Cannot delete or update a parent row: a foreign key constraint fails
    case 1451: // Cannot delete or update a parent row: a foreign key constraint fails (%s)
    case 1452: // Cannot add or update a child row: a foreign key constraint fails (%s)
      return new StoreError('reference', `A reference is broken: ${cause.message}`, { cause })

    case 1048: // Column '%s' cannot be null
    case 1118: // Row size too large
    case 1264: // Out of range value for column '%s' at row %d
    case 1265: // Data truncated for column '%s' at row %d
    case 1292: // Incorrect %s value: '%s' for column '%s' at row %d
    // Names and types of columns are the server's own: what does not go together with a column is a value.
    case 1267: // Illegal mix of collations (%s,%s) and (%s,%s) for operation '%s'
    case 1270: // Illegal mix of collations (%s,%s), (%s,%s), (%s,%s) for operation '%s'
    case 1271: // Illegal mix of collations for operation '%s'
    case 1300: // Invalid %s character string: '%s'
    case 1364: // Field '%s' doesn't have a default value
    case 1366: // Incorrect %s value: '%s' for column '%s' at row %d
    case 1367: // Illegal %s '%s' value found during parsing
    case 1406: // Data too long for column '%s' at row %d
    case 1411: // Incorrect %s value: '%s' for function %s
    case 1525: // Incorrect %s value: '%s'
    case 1690: // %s value is out of range in '%s'
    case 3105: // The value specified for generated column '%s' in table '%s' is not allowed.
    case 3140: // Invalid JSON text: "%s" at position %d in value for column '%s'.
    case 3819: // Check constraint '%s' is violated.
    case 3988: // Conversion from collation %s into %s impossible for parameter
    case 4025: // CONSTRAINT %s failed for %s
    case 1153: // Got a packet bigger than 'max_allowed_packet' bytes
    case 1369: // CHECK OPTION failed '%s'
    case 1172: // Result consisted of more than one row (in a trigger)
    case 1242: // Subquery returns more than 1 row (in a trigger)
    case signalled: // what a trigger signalled
      return new StoreError('value', `The database refused a value: ${cause.message}`, {
        cause,
        refusal: refusalOf(cause),
      })

    case 1020: // Record has changed since last read in table '%s'
    case 1213: // Deadlock found when trying to get lock; try restarting transaction
    case 1614: // XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected
      return new StoreError('busy', `Others are changing the same rows: ${cause.message}`, { cause, repeatable: true })

    case 1205: // Lock wait timeout exceeded; try restarting transaction
    case 1412: // Table definition has changed, please retry transaction
    case 1243: // Unknown prepared statement handler (%s) given to %s
    case 1615: // Prepared statement needs to be re-prepared
    case 1637: // Too many active concurrent transactions
    case 3572: // Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.
      return new StoreError('busy', `Others are changing the same rows or tables: ${cause.message}`, { cause })

    case 1054: // Unknown column '%s' in '%s'
    case 1146: // Table '%s' doesn't exist
      return new StoreError('schema', `The table is not as described: ${cause.message}`, { cause })

    case 1044: // Access denied for user '%s' to database '%s'
    case 1045: // Access denied for user '%s' (using password: %s)
    case 1049: // Unknown database '%s'
    case 1129: // Host '%s' is blocked because of many connection errors
    case 1130: // Host '%s' is not allowed to connect to this server
    case 1251: // Client does not support authentication protocol requested by server
    case 1698: // Access denied for user '%s'
      return new StoreError('unavailable', `The database refused the connection: ${cause.message}`, { cause })

    case 1290: // The MySQL server is running with the %s option so it cannot execute this statement
    case 1792: // Cannot execute statement in a READ ONLY transaction.
    case 1836: // Running in read-only mode
      return new StoreError('readOnly', `The database takes no changes: ${cause.message}`, { cause })

    case 1036: // Table '%s' is read only
    case 1142: // %s command denied to user '%s' for table '%s'
    case 1143: // %s command denied to user '%s' for column '%s' in table '%s'
    case 1227: // Access denied; you need (at least one of) the %s privilege(s) for this operation
    case 1288: // The target table %s of the %s is not updatable
    case 1348: // Column '%s' is not updatable
    case 1370: // %s command denied to user '%s' for routine '%s'
    case 1393: // Can not modify more than one base table through a join view '%s'
    case 1394: // Can not insert into join view '%s' without fields list
    case 1395: // Can not delete from join view '%s'
    case 1471: // The target table %s of the %s is not insertable-into
      return new StoreError('right', `The database does not allow it: ${cause.message}`, { cause })

    case 1305: // %s %s does not exist (a function of a view or trigger)
    case 1442: // Can't update table '%s' in stored function/trigger because it is already used by statement which invoked it
    case 1356: // View '%s' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them
    case 1449: // The user specified as a definer ('%s') does not exist
      return new StoreError('broken', `The table refers to what is missing: ${cause.message}`, { cause })

    case 1021: // Disk full (%s); waiting for someone to free some space...
    case 1037: // Out of memory; restart server and try again (needed %d bytes)
    case 1038: // Out of sort memory, consider increasing server sort buffer size
    case 1040: // Too many connections
    case 1041: // Out of memory; check if mysqld or some other process uses all available memory
    case 1114: // The table '%s' is full
    case 1203: // User %s already has more than 'max_user_connections' active connections
    case 1206: // The total number of locks exceeds the lock table size
    case 1226: // User '%s' has exceeded the '%s' resource
    case 1461: // Can't create more than max_prepared_stmt_count statements
      return new StoreError('unavailable', `The database cannot do it now: ${cause.message}`, { cause })

    case 1317: // Query execution was interrupted
    case 1969: // Query execution was interrupted (max_statement_time exceeded)
    case 3024: // Query execution was interrupted, maximum statement execution time exceeded
      return new StoreError('timeout', `The statement was ended: ${cause.message}`, { cause })
  }
  if (isConnectionLoss(cause)) {
    return new StoreError('unavailable', `The connection to the database is lost: ${cause.message || cause.code}`, {
      cause,
    })
  }
  return new StoreError('internal', `The database failed: ${cause.message}`, { cause })
}

const reasons: Readonly<Record<number, Refusal['why']>> = {
  1048: 'missing',
  1364: 'missing',
  1118: 'length',
  1153: 'length',
  1406: 'length',
  1264: 'range',
  1690: 'range',
  1265: 'form',
  1292: 'form',
  1366: 'form',
  1367: 'form',
  1411: 'form',
  1525: 'form',
  3140: 'form',
  1267: 'characters',
  1270: 'characters',
  1271: 'characters',
  1300: 'characters',
  3988: 'characters',
  1369: 'check',
  3819: 'check',
  4025: 'check',
  1172: 'trigger',
  1242: 'trigger',
  [signalled]: 'trigger',
}

/** Texts of MySQL and MariaDB; a column is `'name'`, or with its database and table before it. */
function refusalOf({ errno: number = 0, sqlState, message }: MysqlError): Refusal {
  const errno = sqlState?.startsWith('45') ? signalled : number
  const column = /(?:[Cc]olumn|Field) (?:`[^`]*`\.`[^`]*`\.`([^`]+)`|'([^']+)')/.exec(message)
  const name = column?.[1] ?? column?.[2]
  return {
    why: errno === 1366 && message.startsWith('Incorrect string value') ? 'characters' : reasons[errno],
    columns: name === undefined ? undefined : [name],
    constraint: /(?:CONSTRAINT `|Check constraint ')(?:[^`']*\.)?([^`'.]+)[`']/.exec(message)?.[1],
  }
}

const lost: ReadonlySet<number | undefined> = new Set([
  1053, // Server shutdown in progress
  1077, // Normal shutdown
  1079, // Shutdown complete
  1080, // Forcing close of thread %d user: '%s'
  1152, // Aborted connection %d to db: '%s' user: '%s'
  1153, // Got a packet bigger than 'max_allowed_packet' bytes
  1156, // Got packets out of order
  1158, // Got an error reading communication packets
  1159, // Got timeout reading communication packets
  1160, // Got an error writing communication packets
  1161, // Got timeout writing communication packets
  1184, // Aborted connection %d to db: '%s' user: '%s' host: '%s'
  1927, // Connection was killed
  3168, // Server isn't available
  4031, // The client was disconnected by the server because of inactivity.
])

/** Whether the connection on which this happened cannot be used any more. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, errno, fatal } = error as MysqlError
  return fatal === true || lost.has(errno) || isNetworkCode(code)
}

/**
 * Whether a statement was refused because its prepared form is out of date, so that nothing of it ran:
 * - 1243: Unknown prepared statement handler (%s) given to %s
 * - 1615: Prepared statement needs to be re-prepared
 */
export function isStaleStatement(error: unknown): boolean {
  const { errno } = error as MysqlError
  return errno === 1243 || errno === 1615
}

/** Within a transaction the refusal has ended the transaction. */
export function staleStatement(cause: unknown): StoreError {
  return new StoreError('busy', 'A table was changed during the transaction.', { cause, repeatable: true })
}
