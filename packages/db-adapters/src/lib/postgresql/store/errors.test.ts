import { StoreError } from '@steward/rest-core/errors'
import { describe, expect, it } from 'vitest'
import { isConnectionLoss, isStaleStatement, translateError } from './errors.js'

/** An error as pg's parser makes it of what the server sent. */
function fromServer(code: string, message: string, severity = 'ERROR'): Error {
  return Object.assign(new Error(message), { code, severity })
}

const cases: readonly (readonly [code: string, expected: string, message: string, severity?: string])[] = [
  ['23505', 'unique', 'duplicate key value violates unique constraint "stw_key_region_reg_code"'],
  ['23503', 'reference', 'insert or update on table "city" violates foreign key constraint "city_region_fkey"'],
  ['23502', 'value', 'null value in column "reg_code" of relation "region" violates not-null constraint'],
  ['22001', 'value', 'value too long for type character varying(10)'],
  ['22003', 'value', 'value "99999999999" is out of range for type integer'],
  ['22021', 'value', 'invalid byte sequence for encoding "UTF8": 0x00'],
  ['22P02', 'value', 'invalid input syntax for type uuid: "x"'],
  ['40001', 'busy', 'could not serialize access due to concurrent update'],
  ['40P01', 'busy', 'deadlock detected'],
  ['55P03', 'busy', 'canceling statement due to lock timeout'],
  ['42P01', 'schema', 'relation "nowhere" does not exist'],
  ['42703', 'schema', 'column "nothing" does not exist'],
  ['53100', 'unavailable', 'could not extend file "base/5/1": No space left on device'],
  ['53300', 'unavailable', 'sorry, too many clients already', 'FATAL'],
  ['57014', 'timeout', 'canceling statement due to statement timeout'],
  ['57P01', 'unavailable', 'terminating connection due to administrator command', 'FATAL'],
  ['57P03', 'unavailable', 'the database system is starting up', 'FATAL'],
  ['28P01', 'unavailable', 'password authentication failed for user "app"', 'FATAL'],
  ['3D000', 'unavailable', 'database "app" does not exist', 'FATAL'],
  ['25006', 'readOnly', 'cannot execute INSERT in a read-only transaction'],
  ['42501', 'right', 'permission denied for table secret_notes'],
  ['42501', 'right', 'new row violates row-level security policy for table "note"'],
  ['55000', 'right', 'cannot insert into view "totals"'],
  ['0A000', 'right', 'cannot insert into column "loud" of view "called"'],
  ['42809', 'right', 'cannot change materialized view "counted"'],
  ['P0001', 'value', 'not on Sundays'],
  ['P0003', 'value', 'query returned more than one row'],
  ['U0001', 'value', 'not on Sundays'],
  ['45000', 'value', 'not on Sundays'],
  ['38000', 'value', 'TypeError: not on Sundays'],
  ['22015', 'value', 'interval field value out of range: "99999999999999"'],
  ['22012', 'internal', 'division by zero'],
  ['42601', 'internal', 'syntax error at or near "selec"'],
]

describe('translateError()', () => {
  for (const [code, expected, message, severity] of cases) {
    it(`${code} ${message} → ${expected}`, () => {
      const cause = fromServer(code, message, severity)
      const error = translateError(cause)
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ code: expected, cause })
      expect(error.message).toContain(message)
      expect(error.retry).toBe(['unavailable', 'busy', 'readOnly'].includes(expected))
      expect(isConnectionLoss(cause)).toBe(severity === 'FATAL')
    })
  }

  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']) {
    it(`${code} → unavailable`, () => {
      const cause = Object.assign(new Error(`connect ${code}`), { code })
      expect(translateError(cause).code).toBe('unavailable')
      expect(isConnectionLoss(cause)).toBe(true)
    })
  }

  it('knows the texts of the driver, which have no codes', () => {
    for (const text of [
      'Connection terminated unexpectedly',
      'timeout expired',
      'Client was closed and is not queryable',
    ]) {
      expect(translateError(new Error(text)).code).toBe('unavailable')
      expect(isConnectionLoss(new Error(text))).toBe(true)
    }
    expect(translateError(new TypeError('x is not a function')).code).toBe('internal')
    expect(isConnectionLoss(new TypeError('x is not a function'))).toBe(false)
  })

  it('leaves a StoreError as it is', () => {
    const error = new StoreError('busy', 'once')
    expect(translateError(error)).toBe(error)
  })
})

it('isStaleStatement() recognises what the server refused before it ran', () => {
  expect(isStaleStatement(fromServer('26000', 'prepared statement "s1" does not exist'))).toBe(true)
  expect(isStaleStatement(fromServer('0A000', 'cached plan must not change result type'))).toBe(true)
  expect(isStaleStatement(fromServer('0A000', 'FOR UPDATE is not allowed with aggregate functions'))).toBe(false)
})
