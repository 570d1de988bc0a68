import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isInstanceName } from '../domain/names.js'

/**
 * Names of the folders in APPS_SAVE_DIR or APPS_SAVEALL_DIR. What cannot be entered and is not called like an instance is
 * not the manager's: the file system keeps `lost+found` at the top of a disk.
 *
 * @throws what the file system says
 */
export async function foldersOfBackups(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const open = await Promise.all(names.map(async (name) => isInstanceName(name) || (await isOpen(join(root, name)))))
  return names.filter((_name, at) => open[at])
}

function isOpen(folder: string): Promise<boolean> {
  return readdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'EACCES',
  )
}
