import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, open, readdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { ManagerError } from '../../errors.js'
import { nameOf, pathFor } from './file-names.js'
import { leadsOut } from './leads-out.js'

/** A file, folder or link below a folder. */
export interface TreeEntry {
  /** Relative to the folder; see `nameOf`. */
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
 * @throws ManagerError ERR_FAILED for links that lead out of the folder or nowhere, for set-uid files, devices, sockets and
 *   pipes, and when there is more than the limits allow.
 */
export async function readTree(folder: string, options: TreeOptions = {}): Promise<readonly TreeEntry[]> {
  const { isLeftOut = () => false, maxBytes = Infinity, maxEntries = Infinity, signal } = options
  const root = await realpath(folder)
  const entries: TreeEntry[] = []
  let bytes = 0
  const visit = async (parent: string): Promise<void> => {
    signal?.throwIfAborted()
    const names = await readdir(pathFor(join(folder, parent)), { encoding: 'buffer' })
    for (const name of names.map(nameOf).toSorted()) {
      const path = join(parent, name)
      const stats = await lstat(pathFor(join(folder, path)))
      const type = typeOf(stats)
      if (type !== undefined && isLeftOut(path, type)) continue
      if (type === undefined) throw refuse(folder, path, 'it is not a file, folder or link')
      if (type === 'file' && (stats.mode & 0o6000) !== 0)
        throw refuse(folder, path, 'it runs with the rights of its owner (set-uid)')
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
    const place = pathFor(join(to, path))
    if (type === 'folder') await mkdir(place, { mode: mode | 0o700 })
    else if (type === 'link') await symlink(pathFor(target), place)
    else {
      await copyFile(pathFor(join(from, path)), place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
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
  const handle = await open(pathFor(path), constants.O_RDONLY)
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
  const at = pathFor(join(folder, path))
  const target = nameOf(await readlink(at, { encoding: 'buffer' }))
  const real = await realpath(at).catch(() => undefined)
  if (real === undefined) throw refuse(folder, path, `the link leads nowhere ("${target}")`)
  const from = relative(root, real)
  const isOutside = from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from)
  // A backup of an instance refuses it, too.
  if (isOutside || leadsOut(path.split(sep).length - 1, target))
    throw refuse(folder, path, `the link leads out of the folder ("${target}")`)
  return target
}

function refuse(folder: string, path: string, why: string): ManagerError {
  return new ManagerError('ERR_FAILED', `Cannot read ${JSON.stringify(path)} in ${folder}: ${why}.`)
}
