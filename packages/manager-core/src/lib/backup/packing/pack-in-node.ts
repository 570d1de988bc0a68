import { createHash } from 'node:crypto'
import { constants, createReadStream, type Stats } from 'node:fs'
import { lstat, open, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { foreignFlags, foreignFolderFlags, ignoreReplaced, throughHandle } from '../../accounts/foreign.js'
import { nameOf, pathFor } from '../../files/file-names.js'
import type { FileHash } from '../../files/hash-file.js'
import { endOfTar, paddingOf, tarHeader, type TarHeader } from './tar-writer.js'

/** Whose a file or folder is, so that nothing else comes into an archive. */
export type TarSource =
  /** A file that must be exactly this. */
  | { readonly expected: FileHash }
  /**
   * User id of an account that may change all of it meanwhile: only its own files are packed, and links that it puts in
   * the place of folders are not followed.
   */
  | { readonly owner: number }
  /** Absolute: the source must be below this folder, also where links lead. Only the manager changes anything in it. */
  | { readonly root: string }

/** For what is in a folder: what its account owns, if it has one, or what is really below it. */
export function sourceIn(folder: string, account: { readonly uid: number } | undefined): TarSource {
  return account ? { owner: account.uid } : { root: folder }
}

/** A file or folder with all in it, or text, and its path in the tar. */
export type TarInput =
  | ({ readonly source: string; readonly target: string } & TarSource)
  | { readonly content: string; readonly target: string; readonly mode: number }

export interface PackInNodeOptions {
  /** Absolute paths that stay out, with all in them. */
  readonly isLeftOut?: (path: string) => boolean
  /** Names of others mean nothing where it is unpacked. Default: numbers of the owners. */
  readonly anonymous?: boolean
}

export interface PackingInNode {
  readonly content: Readable
  /** Resolves with what changed while it was read. */
  readonly done: Promise<readonly string[]>
}

type Pieces = AsyncGenerator<Uint8Array>

/** Sorted by name. Files that go away meanwhile are left out; sockets and the like are, too. */
export function packInNode(inputs: readonly TarInput[], options: PackInNodeOptions = {}): PackingInNode {
  const changes: string[] = []
  const { promise: done, resolve, reject } = Promise.withResolvers<readonly string[]>()
  done.catch(() => undefined)
  async function* all(): Pieces {
    for (const input of inputs) {
      checkTarget(input.target)
      if ('content' in input) yield* addText(input, options)
      else if ('expected' in input) yield* addExactly(input.source, input.target, input.expected, options)
      else if ('owner' in input || (await isBelow(input.source, input.root)))
        yield* addPath(input.source, input.target, { owner: undefined, ...options, ...input }, changes)
    }
    yield endOfTar
    resolve(changes)
  }
  const content = Readable.from(all(), { objectMode: false })
  content.once('error', reject)
  // The rest of it is not wanted.
  content.once('close', () => reject(new Error('it was not packed completely')))
  return { content, done }
}

/** What comes before the content of an entry. */
function headerOf(header: TarHeader, { anonymous = false }: PackInNodeOptions): Buffer {
  return tarHeader(anonymous ? { ...header, uid: 0, gid: 0 } : header)
}

/** It would be written beside where the archive is unpacked. */
function checkTarget(target: string): void {
  if (target.startsWith('/') || target.split('/').includes('..'))
    throw new Error(`"${target}" is not a path in an archive`)
}

/** @returns false when it is not there @throws Error when it is elsewhere */
async function isBelow(source: string, root: string): Promise<boolean> {
  const stats = await lstat(source).catch(ignoreMissing)
  if (!stats) return false
  // A link is packed as text: where it leads.
  const real = await realpath(stats.isSymbolicLink() ? dirname(source) : source)
  const from = relative(await realpath(root), real)
  if (from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from))
    throw new Error(`${source} is not in ${root}, so it is not packed`)
  return true
}

async function* addText(
  { content, target, mode }: Extract<TarInput, { content: string }>,
  options: PackInNodeOptions,
): Pieces {
  const body = Buffer.from(content)
  yield headerOf({ name: target, size: body.length, mode, mtime: new Date() }, options)
  yield body
  yield Buffer.alloc(paddingOf(body.length))
}

type PathOptions = PackInNodeOptions & { readonly owner: number | undefined }

async function* addPath(
  path: string,
  target: string,
  options: PathOptions,
  changes: string[],
  // The same path through an open folder, which cannot be replaced.
  at = path,
): Pieces {
  const { isLeftOut, owner } = options
  if (isLeftOut?.(path)) return
  const place = pathFor(at)
  const stats = await lstat(place).catch(ignoreMissing)
  if (!stats) return
  const { mode, mtime, uid, gid } = stats
  const header = { name: target, size: 0, mode: mode & 0o7777, mtime, uid, gid }
  if (stats.isSymbolicLink()) {
    const linkname = await readlink(place, { encoding: 'buffer' }).catch(ignoreMissing)
    if (linkname !== undefined) yield headerOf({ ...header, type: 'symlink', linkname: nameOf(linkname) }, options)
  } else if (stats.isFile()) {
    yield* addFile(path, at, header, stats, options, changes)
  } else if (stats.isDirectory()) {
    yield headerOf({ ...header, name: `${target}/`, type: 'directory' }, options)
    const folder = owner === undefined ? undefined : await open(place, foreignFolderFlags).catch(ignoreReplaced)
    if (owner !== undefined && !folder) return
    const from = folder ? throughHandle(folder.fd) : at
    try {
      const names = (await readdir(pathFor(from), { encoding: 'buffer' }).catch(ignoreMissing)) ?? []
      for (const name of names.map(nameOf).toSorted())
        yield* addPath(join(path, name), `${target}/${name}`, options, changes, join(from, name))
    } finally {
      await folder?.close()
    }
  }
}

/** Fails in its middle, so that the archive is not taken for a complete one, when the file is another one. */
async function* addExactly(
  path: string,
  target: string,
  { size, sha256 }: FileHash,
  options: PackInNodeOptions,
): Pieces {
  const { mode, mtime } = await lstat(path)
  yield headerOf({ name: target, size, mode: mode & 0o7777, mtime, type: 'file' }, options)
  const hash = createHash('sha256')
  let left = size
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    left -= chunk.length
    hash.update(chunk)
    if (left < 0 || (left === 0 && hash.copy().digest('hex') !== sha256)) break
    yield chunk
  }
  if (left !== 0 || hash.digest('hex') !== sha256) throw new Error(`${path} is not what it was`)
  yield Buffer.alloc(paddingOf(size))
}

/** Exactly as many bytes as its header says; one that became shorter is filled up with zeros, as GNU tar does. */
async function* addFile(
  path: string,
  at: string,
  header: TarHeader,
  { size }: Stats,
  { owner, ...options }: PathOptions,
  changes: string[],
): Pieces {
  const place = pathFor(at)
  const handle =
    owner === undefined
      ? await open(place).catch(ignoreMissing)
      : await open(place, constants.O_RDONLY | foreignFlags).catch(ignoreReplaced)
  if (!handle) return
  try {
    if (owner !== undefined && !isOwn(await handle.stat(), owner)) {
      changes.push(`${path}: belongs to another user and is not in the backup`)
      return
    }
    yield headerOf({ ...header, size, type: 'file' }, options)
    let left = size
    if (size > 0)
      for await (const chunk of handle.createReadStream({
        start: 0,
        end: size - 1,
        highWaterMark: 1 << 18,
        autoClose: false,
      })) {
        yield chunk as Buffer
        left -= (chunk as Buffer).length
      }
    if (left > 0) changes.push(`${path}: became shorter while it was read`)
    for (; left > 0; left -= Math.min(left, 65_536)) yield Buffer.alloc(Math.min(left, 65_536))
    yield Buffer.alloc(paddingOf(size))
  } finally {
    await handle.close()
  }
}

function isOwn(stats: Stats, owner: number): boolean {
  return stats.isFile() && stats.uid === owner
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
