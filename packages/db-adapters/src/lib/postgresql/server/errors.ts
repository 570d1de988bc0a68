import { isConnectionLoss } from '../store/errors.js'
import type { DatabaseServerErrorCode } from '../../server/database-server.js'
import { createTranslator } from '../../server/translate-error.js'

export const translateError = createTranslator({ vendor: 'PostgreSQL', codeOf, codeOfText })

/** Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function codeOf(error: Error & { readonly code?: string }): DatabaseServerErrorCode {
  switch (error.code ?? '') {
    case '28000': // no pg_hba.conf entry for host "%s", user "%s", database "%s"
    case '28P01': // password authentication failed for user "%s"
    case '42501': // permission denied to create database
      return 'ERR_CREDENTIALS'
    case '3D000': // database "%s" does not exist
      return 'ERR_NOT_FOUND'
    case '42P04': // database "%s" already exists
    case '42710': // role "%s" already exists
      return 'ERR_EXISTS'
    case '53100': // could not extend file "%s": No space left on device
      return 'ERR_DISK_FULL'
    case '53300': // sorry, too many clients already
      return 'ERR_UNREACHABLE'
    default:
      return isConnectionLoss(error) ? 'ERR_UNREACHABLE' : 'ERR_FAILED'
  }
}

/** Programs print texts only; they run with English ones, the server's may be in another language. */
function codeOfText(output: string): DatabaseServerErrorCode {
  if (/No space left on device|disk full/i.test(output)) return 'ERR_DISK_FULL'
  if (/backslash commands are restricted/.test(output)) return 'ERR_DUMP'
  if (/aborting because of server version mismatch/.test(output)) return 'ERR_NO_TOOL'
  if (/password authentication failed|no password supplied|no pg_hba\.conf entry|permission denied/.test(output))
    return 'ERR_CREDENTIALS'
  if (/FATAL: +database ".*" does not exist/.test(output)) return 'ERR_NOT_FOUND'
  if (
    /Connection refused|could not translate host name|timeout expired|server closed the connection|connection to server was lost|terminating connection|database system is (starting up|shutting down)|no connection to the server/.test(
      output,
    )
  )
    return 'ERR_UNREACHABLE'
  return 'ERR_FAILED'
}
