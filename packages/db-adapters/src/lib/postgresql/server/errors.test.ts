import { expect, test } from 'vitest'
import { DatabaseServerError } from '../../server/database-server.js'
import { translateError } from './errors.js'

test.each([
  ['pg_dump: error: connection to server at "127.0.0.1", port 1 failed: Connection refused', 'ERR_UNREACHABLE'],
  ['pg_dump: error: could not translate host name "x" to address: Name or service not known', 'ERR_UNREACHABLE'],
  ['psql:<stdin>:9: server closed the connection unexpectedly', 'ERR_UNREACHABLE'],
  ['pg_dump: error: query failed: FATAL:  terminating connection due to administrator command', 'ERR_UNREACHABLE'],
  ['FATAL:  password authentication failed for user "x"', 'ERR_CREDENTIALS'],
  ['pg_dump: error: query failed: ERROR:  permission denied for table x', 'ERR_CREDENTIALS'],
  ['FATAL:  database "x" does not exist', 'ERR_NOT_FOUND'],
  ['pg_dump: error: aborting because of server version mismatch', 'ERR_NO_TOOL'],
  ['ERROR:  could not extend file "base/1/2": No space left on device', 'ERR_DISK_FULL'],
  ['ERROR:  syntax error at or near "x"', 'ERR_FAILED'],
])('what a program printed is understood: %s', (output, code) => {
  const error = translateError(new DatabaseServerError('ERR_FAILED', 'pg_dump failed', { output }))
  expect(error).toMatchObject({ code, output })
})

test.each([
  [{ code: '28P01', severity: 'FATAL' }, 'ERR_CREDENTIALS'],
  [{ code: '42501', severity: 'ERROR' }, 'ERR_CREDENTIALS'],
  [{ code: '3D000', severity: 'FATAL' }, 'ERR_NOT_FOUND'],
  [{ code: '42P04', severity: 'ERROR' }, 'ERR_EXISTS'],
  [{ code: '53100', severity: 'ERROR' }, 'ERR_DISK_FULL'],
  [{ code: '57P03', severity: 'FATAL' }, 'ERR_UNREACHABLE'],
  [{ code: 'ECONNREFUSED' }, 'ERR_UNREACHABLE'],
  [{ code: '42601', severity: 'ERROR' }, 'ERR_FAILED'],
])('what the driver threw is understood: %o', (properties, code) => {
  const cause = Object.assign(new Error('said so'), properties)
  expect(translateError(cause)).toMatchObject({ code, cause })
})

test('the reason of an abort stays what it is', () => {
  const reason = new DOMException('enough', 'AbortError')
  expect(translateError(reason)).toBe(reason)
})
