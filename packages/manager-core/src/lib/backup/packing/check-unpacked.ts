import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { ManagerError } from '../../../errors.js'
import { foreignFlags, ignoreReplaced, visitForeign, type ForeignEntry } from '../../accounts/foreign.js'

/**
 * Looks at what a program unpacked, whatever it was given: folders with files, folders and links in them, none of which
 * runs with the rights of its owner. What every user could change can be changed by its owner and group only from then on.
 *
 * @param folder in which nothing but this process can change anything any more
 * @param tops the only folders that may be in it
 * @returns those that are
 * @throws ManagerError ERR_BACKUP
 */
export async function checkUnpacked(folder: string, tops: readonly string[]): Promise<readonly string[]> {
  await visitForeign(folder, async (entry) => {
    const { path, kind, stats } = entry
    const isTop = !path.includes('/')
    if (isTop && !tops.includes(path)) throw refused(path, `is in none of the folders ${tops.join(', ')}`)
    if (isTop && kind !== 'folder') throw refused(path, 'is not a folder')
    if (kind === 'other') throw refused(path, 'is not a file, folder or link')
    if (kind === 'file' && (stats.mode & 0o6000) !== 0)
      throw refused(path, 'runs with the rights of its owner (set-uid)')
    if (kind !== 'link' && (stats.mode & 0o7777 & ~allowed) !== 0) await close(entry)
  })
  return readdir(folder)
}

/** Folders may have what comes into them belong to their group. */
const allowed = 0o2775

async function close({ at, kind }: ForeignEntry): Promise<void> {
  const flags = foreignFlags | (kind === 'folder' ? constants.O_DIRECTORY : 0)
  const handle = await open(at, constants.O_RDONLY | flags).catch(ignoreReplaced)
  if (!handle) return
  try {
    // Another file may be there by now.
    const { mode } = await handle.stat()
    await handle.chmod(mode & allowed)
  } finally {
    await handle.close()
  }
}

function refused(path: string, why: string): ManagerError {
  return new ManagerError('ERR_BACKUP', `What was unpacked is not used: ${JSON.stringify(path)} ${why}.`, {
    help: 'Use another backup; nothing was changed.',
    command: 'backups list',
  })
}
