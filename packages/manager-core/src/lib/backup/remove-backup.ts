import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { statusFile } from './status.js'

const suffix = '.removed'

/** From its renaming on it is no backup; nothing to do when it is not there. */
export async function removeBackup(folder: string): Promise<void> {
  try {
    await rename(folder, folder + suffix)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await rm(folder + suffix, { recursive: true, force: true })
  await rm(statusFile(folder), { force: true })
}

/** Ends removals that were cut off, in the folder that holds the backups of an instance. */
export async function endRemovals(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(suffix)) await removeBackup(join(dirname(join(folder, name)), name.slice(0, -suffix.length)))
}
