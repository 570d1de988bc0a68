import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkKey } from '../key.js'
import { keyOfPart } from '../parts.js'
import type { CallOptions, SweepOptions } from '../target.js'
import { walk } from '../walk.js'
import { fileError, isCode } from './errors.js'
import { assertFolder, fileAt, foldersBelow, removeEmptyFolders, syncFolder } from './files.js'

/** Removes a file and the folders that it leaves empty. */
export async function remove(root: string, key: string, { signal }: CallOptions = {}): Promise<boolean> {
  checkKey(key)
  signal?.throwIfAborted()
  await assertFolder(root)
  const file = join(root, key)
  try {
    if (!(await fileAt(file))) return false
    await unlink(file)
    await syncFolder(dirname(file))
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw fileError(error, `Cannot delete "${key}"`)
  }
  await removeEmptyFolders(root, dirname(file))
  return true
}

/** Removes partial files that have not been written to since. */
export async function sweep(root: string, { before, prefix = '', signal }: SweepOptions): Promise<number> {
  signal?.throwIfAborted()
  await assertFolder(root)
  let count = 0
  try {
    for await (const { path } of walk(foldersBelow(root), { prefix, after: '', signal, keyOf: keyOfPart })) {
      signal?.throwIfAborted()
      const file = join(root, path)
      const found = await fileAt(file)
      // Written to meanwhile: that upload is under way.
      if (!found || found.mtime >= before) continue
      const isRemoved = await unlink(file).then(
        () => true,
        () => false,
      )
      if (isRemoved) count++
      await removeEmptyFolders(root, dirname(file))
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : fileError(error, `Cannot tidy ${root}`)
  }
  return count
}
