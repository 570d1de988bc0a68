import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { changeStatus, readStatus, statusFile } from './status.js'

const suffix = '.removed'

/**
 * From its renaming on it is no backup; nothing to do when it is not there. What is known of its copies stays as long as
 * there are some.
 */
export async function removeBackup(folder: string): Promise<void> {
  try {
    await rename(folder, folder + suffix)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await rm(folder + suffix, { recursive: true, force: true })
  await forgetBackup(folder)
}

/** Removes what is known of a backup that is not here, unless there are copies of it. */
export async function forgetBackup(folder: string): Promise<void> {
  const { copies = {} } = await readStatus(folder)
  if (Object.keys(copies).length > 0)
    await changeStatus(folder, ({ copies: now = {}, proved }) => ({ copies: now, ...(proved && { proved }) }))
  else await rm(statusFile(folder), { force: true })
}

/** Ends removals that were cut off, in the folder that holds the backups of an instance. */
export async function endRemovals(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(suffix)) await removeBackup(join(dirname(join(folder, name)), name.slice(0, -suffix.length)))
}
