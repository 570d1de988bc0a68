import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TargetError } from '../target-error.js'
import type { Entry, Folders } from '../walk.js'
import { fileError, isCode } from './errors.js'

/** A disk that is not mounted must neither look like an empty store nor be filled up beside it. */
export async function assertFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw fileError(error, `Cannot look at ${folder}`)
  })
  if (found?.isDirectory()) return
  throw new TargetError('ERR_TARGET_SETTINGS', `${folder} is not a folder.`, {
    help: 'Make it, or mount the disk that it is on; it is never made, so that nothing is written beside.',
  })
}

/** Size and date of a regular file; undefined when there is none. */
export async function fileAt(path: string) {
  try {
    const found = await lstat(path)
    return found.isFile() ? found : undefined
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** The folders below one, by their paths in it. */
export function foldersBelow(root: string): Folders<Entry> {
  return { list: (folder) => entriesOf(join(root, folder)) }
}

/** What is in a folder; nothing when it is gone. Links are neither files nor folders. */
async function entriesOf(folder: string): Promise<Entry[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.map((entry) => {
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other'
      return { name: entry.name, kind }
    })
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

/** Makes the folders of `parts` below `root`, each durable in the one above. */
export async function makeFolders(root: string, parts: readonly string[]): Promise<string> {
  let folder = root
  for (const part of parts) {
    const parent = folder
    folder = join(folder, part)
    try {
      await mkdir(folder)
      await syncFolder(parent)
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
  }
  return folder
}

/** Removes folders that are empty, from `folder` up to `root`, which stays. */
export async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  for (let each = folder; each !== root; each = dirname(each)) {
    try {
      await rmdir(each)
    } catch {
      return
    }
  }
}

/** Makes names in a folder durable; where the system cannot do that, nothing happens. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    if (!isCode(error, 'EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR')) throw error
  } finally {
    await handle.close()
  }
}
