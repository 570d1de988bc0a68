import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of all files below a folder; 0 when it is not there. Files that go away meanwhile do not count. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)
  let bytes = 0
  for (const entry of entries ?? [])
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name)).catch(ignoreMissing))?.size ?? 0
  return bytes
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
