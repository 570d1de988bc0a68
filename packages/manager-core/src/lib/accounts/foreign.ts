import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { nameOf, pathFor } from '../files/file-names.js'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants

/** Flags with which a path is opened that another account may have made: no link is followed, no pipe is waited for. */
export const foreignFlags = O_NOFOLLOW | O_NONBLOCK

/** Flags for a folder in which another account may replace what is in it. */
export const foreignFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

/** More is none of ours, in bytes. */
const maxBytes = 1 << 20

/** At most this many links lead from one to the next, as in the kernel. */
const maxLinks = 40

/**
 * A file in a folder in which another account may put what it likes. No link below that folder is followed, wherever it
 * is in the path; links in folders that only root and this process's user can change are.
 *
 * @param owner user id that the file must have: a hard link may be a file of another user. Default: any owner, for what
 *   is not shown.
 * @param most bytes that it may have. Default: 1 MiB.
 * @returns undefined when there is no such file, when it is something else than a file, another user's, or too long
 */
export function readForeignBytes(path: string, owner?: number, most = maxBytes): Buffer | undefined {
  const file = openForeignSync(path, owner)
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    if (size > most) return undefined
    // Files of /proc say that they are empty, and others grow meanwhile.
    const chunks: Buffer[] = []
    for (let read = 0; ;) {
      const chunk = Buffer.allocUnsafe(Math.max(size - read, 4096))
      const length = readSync(file, chunk, 0, chunk.length, null)
      if (length === 0) return Buffer.concat(chunks)
      chunks.push(chunk.subarray(0, length))
      read += length
      if (read > most) return undefined
    }
  } finally {
    closeSync(file)
  }
}

/** The same as text. */
export function readForeignFile(path: string, owner?: number, most?: number): string | undefined {
  return readForeignBytes(path, owner, most)?.toString('utf8')
}

/** The same file, open; the caller closes it. */
export function openForeignSync(path: string, owner?: number): number | undefined {
  const place = reach(path)
  if (!place) return undefined
  try {
    // Thousands of files that are not there are looked for; an error for each would take its time.
    if (!lstatSync(place.at, { throwIfNoEntry: false })?.isFile()) return undefined
    const file = openSync(place.at, O_RDONLY | foreignFlags)
    const stats = fstatSync(file)
    if (stats.isFile() && isFrom(stats, owner)) return file
    closeSync(file)
    return undefined
  } catch (error) {
    return ignoreReplaced(error as NodeJS.ErrnoException)
  } finally {
    place.close()
  }
}

/** The same file, open; the caller closes it. */
export async function openForeign(path: string, owner?: number): Promise<FileHandle | undefined> {
  const place = reach(path)
  if (!place) return undefined
  try {
    const handle = await open(place.at, O_RDONLY | foreignFlags).catch(ignoreReplaced)
    const stats = await handle?.stat()
    if (stats?.isFile() && isFrom(stats, owner)) return handle
    await handle?.close()
    return undefined
  } finally {
    place.close()
  }
}

export interface ForeignLines {
  /** Bytes of the file that are read. Default: as many as it has when it is opened. */
  readonly most?: number
  /** Bytes of a line that are read; the rest of a longer one is left out. Default: 65,536. */
  readonly mostOfLine?: number
  readonly signal?: AbortSignal | undefined
}

/** Lines of the same file, without their ends. Memory stays bounded whatever is in it; what is added meanwhile stays out. */
export async function* readForeignLines(
  path: string,
  owner?: number,
  { most = Infinity, mostOfLine = 65_536, signal }: ForeignLines = {},
): AsyncGenerator<string> {
  const handle = await openForeign(path, owner)
  if (!handle) return
  try {
    const end = Math.min((await handle.stat()).size, most)
    const chunk = Buffer.allocUnsafe(1 << 18)
    // The start of a line whose end is not read yet.
    let begun = Buffer.alloc(0)
    for (let position = 0; position < end;) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - position), position)
      if (bytesRead === 0) break
      position += bytesRead
      for (let from = 0; from < bytesRead;) {
        const found = chunk.subarray(0, bytesRead).indexOf(10, from)
        const part = chunk.subarray(from, Math.min(found === -1 ? bytesRead : found, from + mostOfLine - begun.length))
        if (begun.length === 0 && found !== -1) begun = part
        else if (part.length > 0) begun = Buffer.concat([begun, part])
        if (found === -1) break
        yield begun.toString('utf8').replace(/\r$/, '')
        begun = Buffer.alloc(0)
        from = found + 1
      }
    }
    if (begun.length > 0) yield begun.toString('utf8')
  } finally {
    await handle.close()
  }
}

/** What is at such a path, without a look at where a link leads; undefined: nothing, or it is below a link. */
export function foreignStats(path: string): Stats | undefined {
  const place = reach(path)
  try {
    return place && lstatSync(place.at, { throwIfNoEntry: false })
  } finally {
    place?.close()
  }
}

/** The same, its kind only. */
export function foreignKind(path: string): ForeignEntry['kind'] | undefined {
  const stats = foreignStats(path)
  if (!stats) return undefined
  return kindOf(stats)
}

function kindOf(stats: Stats): ForeignEntry['kind'] {
  return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other'
}

/** Names in such a folder; none when there is no such folder, or a link in its place. */
export async function readForeignFolder(path: string): Promise<readonly string[]> {
  const folder = openFolder(path)
  try {
    return folder ? await readdir(folder.at) : []
  } finally {
    folder?.close()
  }
}

export interface ForeignEntry {
  /** Relative to the folder; see `nameOf`. */
  readonly path: string
  /** What it is now, through an open folder where others may replace what is on the way. */
  readonly at: string | Buffer
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly stats: Stats
}

/** Takes what is found, and is waited for; a folder that it skips is not entered. */
export type Visit = (entry: ForeignEntry) => undefined | 'skip' | void | Promise<undefined | 'skip' | void>

export interface VisitOptions {
  /** Is called with a folder that cannot be entered, and why. Default: that is thrown. */
  readonly onClosed?: (entry: ForeignEntry, error: NodeJS.ErrnoException) => void
}

/** Folders are in one another at most, since each of them is open meanwhile. */
const maxDepth = 500

/**
 * Visits everything below such a folder, parents before children, by their names: nothing below a link that was put in the
 * place of a folder meanwhile. What goes away meanwhile is left out.
 *
 * @throws what `visit` throws
 */
export async function visitForeign(
  path: string,
  visit: Visit,
  { onClosed = throwIt }: VisitOptions = {},
): Promise<void> {
  const top = openFolder(path)
  if (top) await visitBelow(top, '', { visit, onClosed }, maxDepth)
}

const throwIt = (_entry: ForeignEntry, error: Error): never => {
  throw error
}

async function visitBelow(
  { at, close }: Reached,
  path: string,
  visitor: { readonly visit: Visit } & Required<VisitOptions>,
  depth: number,
): Promise<void> {
  try {
    for (const name of (await readdir(at, { encoding: 'buffer' })).map(nameOf).toSorted()) {
      const place = pathFor(join(at, name))
      const stats = await lstat(place).catch(ignoreReplaced)
      if (!stats) continue
      const entry = { path: join(path, name), at: place, kind: kindOf(stats), stats }
      if ((await visitor.visit(entry)) === 'skip' || entry.kind !== 'folder') continue
      let folder: Reached | undefined
      try {
        if (depth === 0) throw new Error(`more than ${maxDepth} folders are in one another`)
        folder = heldFolder(place, join(at, name))
      } catch (error) {
        visitor.onClosed(entry, error as NodeJS.ErrnoException)
      }
      if (folder) await visitBelow(folder, entry.path, visitor, depth - 1)
    }
  } finally {
    close()
  }
}

/** An open folder that another account cannot replace; the caller closes it. Undefined: there is none, or a link. */
function openFolder(path: string): Reached | undefined {
  const place = reach(path)
  try {
    return place && heldFolder(place.at, path)
  } finally {
    place?.close()
  }
}

function heldFolder(place: string | Buffer, path: string): Reached | undefined {
  try {
    const folder = openSync(place, foreignFolderFlags)
    if (process.platform === 'linux') return { at: throughHandle(folder), close: () => closeSync(folder) }
    closeSync(folder)
    return { at: path, close: () => undefined }
  } catch (error) {
    return ignoreReplaced(error as NodeJS.ErrnoException)
  }
}

/** A path to what an open folder is now, or to something in it, whatever is in its place meanwhile. */
export function throughHandle(folder: number, name = ''): string {
  return join(`/proc/self/fd/${folder}`, name)
}

export interface Reached {
  /** The path, through an open folder where others may replace what is on the way. */
  readonly at: string
  close(): void
}

/** The folder that a path is in, folder by folder. Undefined: it is not there, or a link of another account is on the way. */
export function reach(path: string): Reached | undefined {
  let parts = resolve(path).split('/').filter(Boolean)
  const last = parts.pop() ?? '.'
  let at = '/'
  for (let links = 0, next = parts.shift(); next !== undefined; next = parts.shift()) {
    const place = join(at, next)
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (!found) return undefined
    if (!isOurs(found.uid))
      return process.platform === 'linux' ? descend(place, parts, last) : plain(place, parts, last)
    if (found.isSymbolicLink()) {
      if (++links > maxLinks) return undefined
      parts = [...resolve(dirname(place), readlinkSync(place)).split('/').filter(Boolean), ...parts]
      at = '/'
    } else if (found.isDirectory()) at = place
    else return undefined
  }
  return plain(at, [], last)
}

/** Instances have accounts on Linux only. */
function plain(folder: string, parts: readonly string[], last: string): Reached {
  return { at: join(folder, ...parts, last), close: () => undefined }
}

/** From the first folder of another user down through open folders. */
function descend(top: string, parts: readonly string[], last: string): Reached | undefined {
  let folder: number | undefined
  try {
    folder = openSync(top, foreignFolderFlags)
    for (const part of parts) {
      const next = openSync(throughHandle(folder, part), foreignFolderFlags)
      closeSync(folder)
      folder = next
    }
    const reached = folder
    return { at: throughHandle(reached, last), close: () => closeSync(reached) }
  } catch (error) {
    if (folder !== undefined) closeSync(folder)
    return ignoreReplaced(error as NodeJS.ErrnoException)
  }
}

function isOurs(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.()
}

/** Whose a folder is when it is another user's: what is in it must be that user's, too. */
export function foreignOwner(folder: string): number | undefined {
  const uid = lstatSync(folder, { throwIfNoEntry: false })?.uid
  return uid === undefined || isOurs(uid) ? undefined : uid
}

function isFrom({ uid }: { readonly uid: number }, owner: number | undefined): boolean {
  return owner === undefined || uid === owner
}

/** It is not there, or something else is. */
export function ignoreReplaced(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) throw error
}
