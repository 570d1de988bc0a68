import { existsSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { moveTo } from '../accounts/places.js'
import { removeTree } from '../accounts/remove-tree.js'
import { isBackupId } from './choose-backup.js'
import { changeStatus, isStatusOfDead, readStatus, removeStatusOfDead, statusFile } from './status.js'

const suffix = '.removed'

/**
 * From its renaming on it is not a backup; nothing to do when it is not there. What is known of its copies stays as long as
 * there are some.
 */
export async function removeBackup(folder: string): Promise<void> {
  await removeTree(folder + suffix)
  try {
    await moveTo(folder, folder + suffix)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await removeTree(folder + suffix)
  await forgetBackup(folder)
}

/** Removes what is known of a backup that is not here, unless there are copies of it. */
export async function forgetBackup(folder: string): Promise<void> {
  await removeStatusOfDead(folder)
  const { copies = {} } = await readStatus(folder)
  if (Object.keys(copies).length > 0)
    await changeStatus(folder, ({ copies: now = {}, proved, of }) => ({
      copies: now,
      ...(proved && { proved }),
      ...(of && { of }),
    }))
  else await rm(statusFile(folder), { force: true })
}

/** What a fetch left that was cut off. Not specified; chosen: a fetch is resumed within a week or not at all. */
const unfinishedMs = 7 * 24 * 60 * 60 * 1000

/**
 * Ends removals that were cut off, and removes what is not resumed, in the folder that holds the backups of an
 * instance.
 */
export async function tidyFolder(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.endsWith(suffix) && isBackupId(name.slice(0, -suffix.length))) {
      await removeTree(path)
      const backup = path.slice(0, -suffix.length)
      // It may have been fetched again.
      if (!existsSync(backup)) await forgetBackup(backup)
    } else if (name.endsWith('.part') && isBackupId(name.slice(0, -'.part'.length))) {
      const { mtime } = await stat(path)
      if (now.getTime() - mtime.getTime() > unfinishedMs) await removeTree(path)
    } else if (isStatusOfDead(name)) {
      await rm(path, { force: true })
    }
  }
}
