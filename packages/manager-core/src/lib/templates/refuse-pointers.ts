import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { pathFor } from '../files/file-names.js'
import type { TreeEntry } from '../files/tree.js'

/** Pointers are shorter. Source: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const maxPointerBytes = 1024
const pointer = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\noid sha256:/

/**
 * Looks for files of Git LFS whose contents were not fetched: a text about each is in its place.
 *
 * @throws ManagerError ERR_TEMPLATE naming some of them
 */
export async function refusePointers(folder: string, entries: readonly TreeEntry[]): Promise<void> {
  const found: string[] = []
  for (const { path, type, size } of entries)
    if (type === 'file' && size < maxPointerBytes && pointer.test(await startOf(join(folder, path)))) found.push(path)
  if (found.length === 0) return
  throw new ManagerError(
    'ERR_TEMPLATE',
    `It has pointers of Git LFS in place of ${listOf(found)}, whose contents are in no template from Git.`,
    { help: 'Store them in the repository itself (git lfs migrate export), or use a template of type folder or npm.' },
  )
}

async function startOf(path: string): Promise<string> {
  const handle = await open(pathFor(path))
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** The first ones of many. */
export function listOf(paths: readonly string[]): string {
  const [shown, more] = [paths.slice(0, 3).join(', '), paths.length - 3]
  return more > 0 ? `${shown} and ${more} more` : shown
}
