import { DatabaseServerError } from '../../server/database-server.js'
import type { DatabaseServerErrorCode } from '../../server/database-server.js'

interface SqliteError extends Error {
  readonly code?: string
  /** SQLite's extended result code. */
  readonly errcode?: number
}

/**
 * What SQLite or the file system threw, once for every call. Codes: https://www.sqlite.org/rescode.html
 *
 * @param attempt e.g. `dump "data/database.db"`
 */
export function translateError(error: unknown, attempt: string): Error {
  if (DatabaseServerError.is(error)) return error
  const cause = error as SqliteError
  if (cause.name === 'AbortError' || cause.name === 'TimeoutError') return cause
  const [code, hint] = classify(cause)
  return new DatabaseServerError(code, `Cannot ${attempt}: ${cause.message}.${hint ? ` ${hint}` : ''}`, { cause })
}

function classify({ code, errcode = 0 }: SqliteError): [DatabaseServerErrorCode, string?] {
  switch (code) {
    case 'ENOENT':
      return ['ERR_NOT_FOUND']
    case 'ENOSPC':
    case 'EDQUOT':
      return ['ERR_DISK_FULL', 'Make room on the disk.']
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return ['ERR_CREDENTIALS', 'Check who may read and write the file and its folder.']
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'EISDIR':
      return ['ERR_UNREACHABLE']
    default:
  }
  switch (errcode & 0xff) {
    case 8: // SQLITE_READONLY: attempt to write a readonly database
      return ['ERR_CREDENTIALS', 'Check who may read and write the file and its folder.']
    case 13: // SQLITE_FULL: database or disk is full
      return ['ERR_DISK_FULL', 'Make room on the disk.']
    case 14: // SQLITE_CANTOPEN: unable to open database file
      return ['ERR_UNREACHABLE', 'Check that the folder is there and may be written.']
    case 11: // SQLITE_CORRUPT: database disk image is malformed
    case 26: // SQLITE_NOTADB: file is not a database
      return ['ERR_FAILED', 'The file is damaged or no SQLite database; restore a backup.']
    default:
      return ['ERR_FAILED']
  }
}

export function isBusy(error: unknown): boolean {
  const code = ((error as SqliteError).errcode ?? 0) & 0xff
  return code === 5 || code === 6 // SQLITE_BUSY, SQLITE_LOCKED
}
