import { StoreError } from '@steward/rest-core/errors'
import { describe, expect, it } from 'vitest'
import { isConnectionLoss, isStaleStatement, translateError } from './errors.js'

/** An error as mysql2 makes it of what the server sent. */
function fromServer(errno: number, message: string): Error {
  return Object.assign(new Error(message), { errno, sqlMessage: message })
}

const cases: readonly (readonly [errno: number, expected: string, message: string, lost?: boolean])[] = [
  [1062, 'unique', "Duplicate entry 'a' for key 'stw_key_region_reg_code'"],
  [1451, 'reference', 'Cannot delete or update a parent row: a foreign key constraint fails'],
  [1452, 'reference', 'Cannot add or update a child row: a foreign key constraint fails'],
  [1048, 'value', "Column 'reg_code' cannot be null"],
  [1264, 'value', "Out of range value for column 'size' at row 1"],
  [1366, 'value', "Incorrect integer value: 'x' for column 'size' at row 1"],
  [1406, 'value', "Data too long for column 'code' at row 1"],
  [1153, 'value', "Got a packet bigger than 'max_allowed_packet' bytes", true],
  [1205, 'busy', 'Lock wait timeout exceeded; try restarting transaction'],
  [1213, 'busy', 'Deadlock found when trying to get lock; try restarting transaction'],
  [1146, 'schema', "Table 'app.nowhere' doesn't exist"],
  [1054, 'schema', "Unknown column 'nothing' in 'field list'"],
  [1021, 'unavailable', 'Disk full (/tmp); waiting for someone to free some space...'],
  [1040, 'unavailable', 'Too many connections'],
  [1045, 'unavailable', "Access denied for user 'app'@'localhost' (using password: YES)"],
  [1049, 'unavailable', "Unknown database 'app'"],
  [1053, 'unavailable', 'Server shutdown in progress', true],
  [1290, 'readOnly', 'The MySQL server is running with the --read-only option so it cannot execute this statement'],
  [1927, 'unavailable', 'Connection was killed', true],
  [1969, 'timeout', 'Query execution was interrupted (max_statement_time exceeded)'],
  [3024, 'timeout', 'Query execution was interrupted, maximum statement execution time exceeded'],
  [1142, 'right', "INSERT command denied to user 'reader'@'localhost' for table 'film'"],
  [1143, 'right', "SELECT command denied to user 'reader'@'localhost' for column 'secret' in table 'film'"],
  [1471, 'right', 'The target table rated of the INSERT is not insertable-into'],
  [1356, 'broken', "View 'app.old' references invalid table(s) or column(s)"],
  [1449, 'broken', "The user specified as a definer ('gone'@'%') does not exist"],
  [1442, 'broken', "Can't update table 'film' in stored function/trigger"],
  [1369, 'value', "CHECK OPTION failed 'app.good_film'"],
  [1064, 'internal', 'You have an error in your SQL syntax'],
]

describe('translateError()', () => {
  for (const [errno, expected, message, lost = false] of cases) {
    it(`${errno} ${message} → ${expected}`, () => {
      const cause = fromServer(errno, message)
      const error = translateError(cause)
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ code: expected, cause })
      expect(error.message).toContain(message)
      expect(error.retry).toBe(['unavailable', 'busy', 'readOnly'].includes(expected))
      expect(isConnectionLoss(cause)).toBe(lost)
    })
  }

  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']) {
    it(`${code} → unavailable`, () => {
      const cause = Object.assign(new Error(`connect ${code}`), { code, errno: -111 })
      expect(translateError(cause).code).toBe('unavailable')
      expect(isConnectionLoss(cause)).toBe(true)
    })
  }

  it('takes what the driver calls fatal for a lost connection', () => {
    const cause = Object.assign(new Error('Connection lost: The server closed the connection.'), {
      fatal: true,
      code: 'PROTOCOL_CONNECTION_LOST',
    })
    expect(translateError(cause).code).toBe('unavailable')
    expect(isConnectionLoss(cause)).toBe(true)
    expect(translateError(new TypeError('x is not a function')).code).toBe('internal')
  })

  it('leaves a StoreError as it is', () => {
    const error = new StoreError('busy', 'once')
    expect(translateError(error)).toBe(error)
  })
})

it('isStaleStatement() recognises what the server refused before it ran', () => {
  expect(
    isStaleStatement(fromServer(1243, 'Unknown prepared statement handler (5) given to mysqld_stmt_execute')),
  ).toBe(true)
  expect(isStaleStatement(fromServer(1615, 'Prepared statement needs to be re-prepared'))).toBe(true)
  expect(isStaleStatement(fromServer(1062, "Duplicate entry 'a' for key 'b'"))).toBe(false)
})
