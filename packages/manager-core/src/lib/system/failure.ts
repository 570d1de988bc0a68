import { ManagerError } from '../../errors.js'

/** What systems say when there is no room: Node, SQLite (as number and as name), database servers. */
const diskFull: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL', 'ERR_DISK_FULL'])
// database or disk is full; disk I/O error while a file is made larger
const sqliteFull: ReadonlySet<number> = new Set([13])
const sqliteNoRoom: ReadonlySet<number> = new Set([4874, 5386, 778])
// database disk image is malformed; file is not a database
const sqliteDamaged: ReadonlySet<number> = new Set([11, 26])

/** What brings a registry back. */
export const rebuildCommand = 'doctor --rebuild'

/** Any failure as the manager's: those of full disks are told apart, the others are `ERR_FAILED` with their message. */
export function failureOf(error: unknown): ManagerError {
  if (ManagerError.is(error)) return error
  const { code, errcode, path, output } = fieldsOf(error)
  const text = sentence(error instanceof Error ? error.message : String(error))
  if (
    diskFull.has(code) ||
    (typeof errcode === 'number' && (sqliteFull.has(errcode & 0xff) || sqliteNoRoom.has(errcode)))
  )
    return new ManagerError(
      'ERR_DISK',
      path
        ? `No space is left on the disk for ${path}.`
        : `The disk is full: ${errcode === undefined ? text : 'the registry cannot be written.'}`,
      {
        cause: error,
        help: 'Free space, or move the home or the save folder to a larger disk.',
        command: 'doctor home',
      },
    )
  if (typeof errcode === 'number' && sqliteDamaged.has(errcode & 0xff)) return damagedRegistry('The registry', error)
  return new ManagerError('ERR_FAILED', text, { cause: error, ...(typeof output === 'string' && { output }) })
}

/** @param what starts the sentence */
export function damagedRegistry(what: string, cause: unknown): ManagerError {
  return new ManagerError('ERR_FAILED', `${what} is damaged: ${(cause as Error).message}.`, {
    cause,
    help: 'Rebuild it from its copies and the files on this disk. The damaged file is kept.',
    command: rebuildCommand,
  })
}

/** With its full stop. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`
}

function fieldsOf(error: unknown) {
  return (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: unknown
    readonly errcode?: unknown
    readonly path?: string
    readonly output?: unknown
  }
}
