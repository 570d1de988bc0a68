import { ManagerError } from '../../errors.js'
import { damagedRegistry, failureOf } from './failure.js'

// https://www.sqlite.org/rescode.html
const busy = 5
const readonly = 8
const inputOutput = 10
const corrupt = 11
const cannotOpen = 14
const notADatabase = 26

/** Another connection holds a lock that is in the way. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy
}

/** A file could not be made, made larger, read or written. */
export function isInputOutput(error: unknown): boolean {
  return codeOf(error) === inputOutput
}

/** SQLite's error about a file of the manager, for people. Other failures stay what they are. */
export function sqliteFailure(error: unknown, file: string): unknown {
  if (ManagerError.is(error) || !(error instanceof Error)) return error
  const options = { cause: error }
  switch (codeOf(error)) {
    // database is locked
    case busy:
      return new ManagerError('ERR_BUSY', `${file} is in use by another process.`, options)
    // attempt to write a readonly database
    case readonly:
      return new ManagerError('ERR_FAILED', `${file} cannot be written: this user can only read it.`, {
        ...options,
        help: 'Run the manager as the owner of the home.',
      })
    // unable to open database file
    case cannotOpen:
      return new ManagerError('ERR_FAILED', `${file} cannot be opened.`, {
        ...options,
        help: 'Check that its folder exists and belongs to the user that runs the manager.',
      })
    // database disk image is malformed; file is not a database
    case corrupt:
    case notADatabase:
      return damagedRegistry(file, error)
    // database or disk is full
    default:
      return codeOf(error) === undefined ? error : failureOf(error)
  }
}

/** The primary code, without what extended ones add. */
function codeOf(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}
