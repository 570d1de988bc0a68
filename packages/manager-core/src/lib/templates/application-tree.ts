import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TreeEntry } from '../files/tree.js'
import { readTree } from '../files/tree.js'
import { ManagerError } from '../../errors.js'
import { pathFor } from '../files/file-names.js'

/** Not specified; chosen as far more than an application has, and less than what fills a disk by mistake. */
export const applicationLimits = { maxBytes: 2 * 1024 ** 3, maxEntries: 200_000 }

/**
 * What of a folder is the application: all but its data, what git keeps, what `--types` wrote, and modules that are linked from elsewhere.
 *
 * @throws ManagerError ERR_TEMPLATE for links that lead out of it, devices, and what is too large.
 */
export async function readApplication(folder: string, signal?: AbortSignal): Promise<readonly TreeEntry[]> {
  try {
    return await readTree(folder, { ...applicationLimits, isLeftOut, signal })
  } catch (error) {
    if (!ManagerError.is(error)) throw error
    throw new ManagerError('ERR_TEMPLATE', error.message, { cause: error })
  }
}

function isLeftOut(path: string, type: TreeEntry['type']): boolean {
  if (path === 'data' || path === '.steward') return true
  if (path === 'node_modules') return type === 'link'
  return path === '.git' || path.endsWith('/.git')
}

/** A hash of names, contents and whether files can be run: the same for the same application, wherever it lies. */
export async function hashApplication(
  folder: string,
  entries: readonly TreeEntry[],
  signal?: AbortSignal,
): Promise<string> {
  const all = createHash('sha256')
  for (const { path, type, mode, target } of entries) {
    const content = type === 'file' ? await hashFile(join(folder, path), signal) : target
    all.update(JSON.stringify([path, type, type === 'file' && (mode & 0o100) !== 0, content]))
  }
  return all.digest('hex')
}

/** SHA-256 of a file's content, in hex. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(pathFor(file)), hash, { signal })
  return hash.digest('hex')
}
