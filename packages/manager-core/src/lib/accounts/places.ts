import { constants } from 'node:fs'
import { link, mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SystemAccount } from './account.js'
import { reach } from './foreign.js'

/**
 * Makes a folder, and those that it is in; nothing to do when it is there. No link that another account made is followed,
 * wherever it is in the path.
 *
 * @throws what the file system says
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const place = reach(path) ?? (await reachMade(path, mode))
  try {
    await mkdir(place.at, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
  } finally {
    place.close()
  }
}

async function reachMade(path: string, mode: number) {
  if (dirname(path) !== path) await makeFolder(dirname(path), mode)
  return reachOrFail(path)
}

/** Also by a link of this process's user. */
function isFolder(path: string): boolean {
  const inside = reach(join(path, 'any'))
  inside?.close()
  return inside !== undefined
}

/**
 * Renames. No link that another account made is followed, wherever it is in either path.
 *
 * @throws what the file system says
 */
export function moveTo(from: string, to: string): Promise<void> {
  return withBoth(from, to, rename)
}

/** The same for a second name of a file. */
export function linkTo(from: string, to: string): Promise<void> {
  return withBoth(from, to, link)
}

async function withBoth(from: string, to: string, work: (from: string, to: string) => Promise<void>): Promise<void> {
  const source = reachOrFail(from)
  try {
    const target = reachOrFail(to)
    try {
      await work(source.at, target.at)
    } finally {
      target.close()
    }
  } finally {
    source.close()
  }
}

export interface NewFileOptions {
  /** Whose it is. Default: this process's user. */
  readonly account?: SystemAccount | undefined
  /** Default: 0600. */
  readonly mode?: number
}

/**
 * Makes a file, durably. No link that another account made is followed, wherever it is in the path.
 *
 * @throws what the file system says: EEXIST when anything is there, a link, too
 */
export async function writeNewFile(
  path: string,
  content: string | Buffer,
  { account, mode = 0o600 }: NewFileOptions = {},
): Promise<void> {
  const place = reachOrFail(path)
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  try {
    const file = await open(place.at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    try {
      await file.writeFile(content)
      if (account) await file.chown(account.uid, account.gid)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    place.close()
  }
}

function reachOrFail(path: string) {
  const place = reach(path)
  if (place) return place
  throw Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), { code: 'ENOENT', path })
}
