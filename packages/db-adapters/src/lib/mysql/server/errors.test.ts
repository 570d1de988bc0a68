import { expect, test } from 'vitest'
import { DatabaseServerError } from '../../server/database-server.js'
import { translateError } from './errors.js'

test.each([
  [
    `mysqldump: Got error: 2002: "Can't connect to server on '127.0.0.1' (115)" when trying to connect`,
    'ERR_UNREACHABLE',
  ],
  ['mysqldump: Error 2013: Lost connection to server during query when dumping table `t` at row: 1', 'ERR_UNREACHABLE'],
  ["ERROR 2005 (HY000): Unknown server host 'x' (-2)", 'ERR_UNREACHABLE'],
  ["ERROR 1045 (28000): Access denied for user 'x'@'localhost' (using password: YES)", 'ERR_CREDENTIALS'],
  [`mysqldump: Got error: 1044: "Access denied for user 'x'@'%' to database 'y'" when selecting`, 'ERR_CREDENTIALS'],
  ["ERROR 1049 (42000): Unknown database 'x'", 'ERR_NOT_FOUND'],
  ["ERROR 1114 (HY000) at line 5: The table 't' is full", 'ERR_DISK_FULL'],
  ['mysqldump: Got errno: 28 on write', 'ERR_DISK_FULL'],
  ['ERROR 1064 (42000) at line 1: You have an error in your SQL syntax', 'ERR_FAILED'],
])('what a program printed is understood: %s', (output, code) => {
  const error = translateError(new DatabaseServerError('ERR_FAILED', 'mysqldump failed', { output }))
  expect(error).toMatchObject({ code, output })
})

test.each([
  [{ errno: 1045 }, 'ERR_CREDENTIALS'],
  [{ errno: 1410 }, 'ERR_CREDENTIALS'],
  [{ errno: 1049 }, 'ERR_NOT_FOUND'],
  [{ errno: 1007 }, 'ERR_EXISTS'],
  [{ errno: 1114 }, 'ERR_DISK_FULL'],
  [{ errno: 1040 }, 'ERR_UNREACHABLE'],
  [{ errno: -111, code: 'ECONNREFUSED', fatal: true }, 'ERR_UNREACHABLE'],
  [{ errno: 1064 }, 'ERR_FAILED'],
])('what the driver threw is understood: %o', (properties, code) => {
  const cause = Object.assign(new Error('said so'), properties)
  expect(translateError(cause)).toMatchObject({ code, cause })
})
