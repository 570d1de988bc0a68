import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, open, readdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { ManagerError } from '../../errors.js'

/** A file, folder or link below a folder. */
export interface TreeEntry {
  /** Relative to the folder. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'link'
  /** In bytes; of files, else 0. */
  readonly size: number
  /** Permissions, e.g. `0o755`. */
  readonly mode: number
  /** In ms. */
  readonly modified: number
  /** For links: where it points, as written. */
  readonly target: string
}

export interface TreeOptions {
  /** Entries (with all that is below) that do not count. */
  readonly isLeftOut?: (path: string, type: TreeEntry['type']) => boolean
  /** Most bytes of all files, and most entries. Default: no limit. */
  readonly maxBytes?: number
  readonly maxEntries?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Everything below a folder, parents before children, in a stable order.
 *
 * @throws ManagerError ERR_FAILED for links that lead out of the folder or nowhere, for devices, sockets and pipes, and
 *   when there is more than the limits allow.
 */
export async function readTree(folder: string, options: TreeOptions = {}): Promise<readonly TreeEntry[]> {
  const { isLeftOut = () => false, maxBytes = Infinity, maxEntries = Infinity, signal } = options
  const root = await realpath(folder)
  const entries: TreeEntry[] = []
  let bytes = 0
  const visit = async (parent: string): Promise<void> => {
    signal?.throwIfAborted()
    const names = (await readdir(join(folder, parent))).toSorted()
    for (const name of names) {
      const path = join(parent, name)
      const stats = await lstat(join(folder, path))
      const type = typeOf(stats)
      if (type !== undefined && isLeftOut(path, type)) continue
      if (type === undefined) throw refuse(folder, path, 'it is not a file, folder or link')
      const target = type === 'link' ? await checkLink(folder, root, path) : ''
      const size = type === 'file' ? stats.size : 0
      bytes += size
      if (bytes > maxBytes) throw refuse(folder, path, `there are more than ${maxBytes} bytes`)
      if (entries.length >= maxEntries) throw refuse(folder, path, `there are more than ${maxEntries} files`)
      entries.push({ path, type, size, mode: stats.mode & 0o777, modified: stats.mtimeMs, target })
      if (type === 'folder') await visit(path)
    }
  }
  await visit('')
  return entries
}

/** Copies entries of `from` into the folder `to`, which is made; files share their blocks where the disk can do that. */
export async function copyTree(
  from: string,
  to: string,
  entries: readonly TreeEntry[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const { path, type, mode, modified, target } of entries) {
    signal?.throwIfAborted()
    const place = join(to, path)
    if (type === 'folder') await mkdir(place, { mode: mode | 0o700 })
    else if (type === 'link') await symlink(target, place)
    else {
      await copyFile(join(from, path), place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
      await utimes(place, modified / 1000, modified / 1000)
    }
  }
}

/** Brings files and folders below a folder to the disk, and the folder itself. */
export async function syncTree(folder: string, entries: readonly TreeEntry[]): Promise<void> {
  for (const { path, type } of entries) if (type !== 'link') await syncPath(join(folder, path))
  await syncPath(folder)
}

/** A file or folder: its content, or the names in it. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function typeOf(stats: Awaited<ReturnType<typeof lstat>>): TreeEntry['type'] | undefined {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : undefined
}

/** What is written in a link may look harmless and still lead out over other links, so the real path counts, too. */
async function checkLink(folder: string, root: string, path: string): Promise<string> {
  const target = await readlink(join(folder, path))
  const real = await realpath(join(folder, path)).catch(() => undefined)
  if (real === undefined) throw refuse(folder, path, `the link leads nowhere ("${target}")`)
  const isOutside = (place: string) => place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place)
  if (isAbsolute(target) || isOutside(join(dirname(path), target)) || isOutside(relative(root, real)))
    throw refuse(folder, path, `the link leads out of the folder ("${target}")`)
  return target
}

function refuse(folder: string, path: string, why: string): ManagerError {
  return new ManagerError('ERR_FAILED', `Cannot read "${path}" in ${folder}: ${why}.`)
}
