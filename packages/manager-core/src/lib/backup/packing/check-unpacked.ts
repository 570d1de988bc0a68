import { readdir } from 'node:fs/promises'
import { ManagerError } from '../../../errors.js'
import { visitForeign } from '../../accounts/foreign.js'

/**
 * Looks at what a program unpacked, whatever it was given: folders with files, folders and links in them, none of which
 * runs with the rights of its owner.
 *
 * @param folder in which nothing but this process can change anything any more
 * @param tops the only folders that may be in it
 * @returns those that are
 * @throws ManagerError ERR_BACKUP
 */
export async function checkUnpacked(folder: string, tops: readonly string[]): Promise<readonly string[]> {
  await visitForeign(folder, ({ path, kind, stats }) => {
    const isTop = !path.includes('/')
    if (isTop && !tops.includes(path)) throw refused(path, `is in none of the folders ${tops.join(', ')}`)
    if (isTop && kind !== 'folder') throw refused(path, 'is not a folder')
    if (kind === 'other') throw refused(path, 'is not a file, folder or link')
    if (kind === 'file' && (stats.mode & 0o6000) !== 0)
      throw refused(path, 'runs with the rights of its owner (set-uid)')
  })
  return readdir(folder)
}

function refused(path: string, why: string): ManagerError {
  return new ManagerError('ERR_BACKUP', `What was unpacked is not used: ${JSON.stringify(path)} ${why}.`, {
    help: 'Use another backup; nothing was changed.',
    command: 'backups list',
  })
}
