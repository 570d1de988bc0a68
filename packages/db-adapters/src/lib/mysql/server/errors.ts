import { isConnectionLoss } from '../store/errors.js'
import type { DatabaseServerErrorCode } from '../../server/database-server.js'
import { createTranslator } from '../../server/translate-error.js'

export const translateError = createTranslator({
  vendor: 'MySQL',
  codeOf: (error: Error & { readonly errno?: number }) =>
    codeOf(error.errno ?? 0) ?? (isConnectionLoss(error) ? 'ERR_UNREACHABLE' : 'ERR_FAILED'),
  codeOfText,
})

/**
 * Numbers: https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html and, of clients,
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/client-error-reference.html
 */
function codeOf(errno: number): DatabaseServerErrorCode | undefined {
  switch (errno) {
    case 1044: // Access denied for user '%s' to database '%s'
    case 1045: // Access denied for user '%s' (using password: %s)
    case 1130: // Host '%s' is not allowed to connect to this server
    case 1142: // %s command denied to user '%s' for table '%s'
    case 1227: // Access denied; you need (at least one of) the %s privilege(s) for this operation
    case 1251: // Client does not support authentication protocol requested by server
    case 1410: // You are not allowed to create a user with GRANT
    case 1698: // Access denied for user '%s'
      return 'ERR_CREDENTIALS'
    case 1049: // Unknown database '%s'
      return 'ERR_NOT_FOUND'
    case 1007: // Can't create database '%s'; database exists
      return 'ERR_EXISTS'
    case 1021: // Disk full (%s); waiting for someone to free some space...
    case 1114: // The table '%s' is full
      return 'ERR_DISK_FULL'
    case 1148: // The used command is not allowed with this MySQL version
    case 2068: // LOAD DATA LOCAL INFILE file request rejected due to restrictions on access.
    case 3948: // Loading local data is disabled; this must be enabled on both the client and server sides
    case 4166: // The used command is not allowed because the MariaDB server or client has disabled the local infile capability
      return 'ERR_DUMP'
    case 1040: // Too many connections
    case 1053: // Server shutdown in progress
    case 2002: // Can't connect to local MySQL server through socket '%s' / to server on '%s'
    case 2003: // Can't connect to MySQL server on '%s'
    case 2005: // Unknown MySQL server host '%s'
    case 2006: // MySQL server has gone away
    case 2013: // Lost connection to MySQL server during query
    case 2026: // SSL connection error: %s
      return 'ERR_UNREACHABLE'
    default:
      return undefined
  }
}

/** `mysqldump: Got error: 1045: "Access denied …" when …`, `ERROR 2002 (HY000): Can't connect …`, `Error 2013: …` */
function codeOfText(output: string): DatabaseServerErrorCode {
  if (/No space left on device|errno:? 28\b/.test(output)) return 'ERR_DISK_FULL'
  if (/^ERROR at line \d+: Unknown command/m.test(output)) return 'ERR_DUMP'
  for (const [, errno] of output.matchAll(/\berror:? (\d{4})\b/gi)) {
    const code = codeOf(Number(errno))
    if (code) return code
  }
  return 'ERR_FAILED'
}
