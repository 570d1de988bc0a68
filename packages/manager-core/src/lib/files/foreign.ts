import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Flags with which a path is opened that another account may have made: no link is followed, no pipe is waited for. */
export const foreignFlags = O_NOFOLLOW | O_NONBLOCK

/** More is none of ours, in bytes. */
const maxBytes = 1 << 20

/**
 * A file in a folder in which another account may put what it likes.
 *
 * @param owner user id that the file must have: a hard link may be a file of another user. Default: any owner, for what
 *   is not shown.
 * @returns undefined when there is no such file, when it is something else than a file, or another user's
 */
export function readForeignBytes(path: string, owner?: number): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, O_RDONLY | foreignFlags)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  try {
    const stats = fstatSync(file)
    const isOurs = stats.isFile() && stats.size <= maxBytes && (owner === undefined || stats.uid === owner)
    return isOurs ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** The same as text. */
export function readForeignFile(path: string, owner?: number): string | undefined {
  return readForeignBytes(path, owner)?.toString('utf8')
}
