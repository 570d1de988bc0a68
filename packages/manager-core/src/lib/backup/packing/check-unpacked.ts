import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagerError } from '../../../errors.js'
import { foreignFolderFlags, ignoreReplaced, throughHandle } from '../../accounts/foreign.js'

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
  const found = await readdir(folder)
  for (const name of found) {
    if (!tops.includes(name)) throw refused(name, `is in none of the folders ${tops.join(', ')}`)
    await checkEntry(join(folder, name), name, true)
  }
  return found
}

/** @param at the path, through an open folder where there is one: nothing can be put in its place */
async function checkEntry(at: string, shown: string, isTop = false): Promise<void> {
  // What is there now is what the account put there meanwhile, with its own rights.
  const stats = await lstat(at).catch(ignoreReplaced)
  if (!stats) return
  const isFolder = stats.isDirectory()
  if (isTop ? !isFolder : !(stats.isFile() || isFolder || stats.isSymbolicLink()))
    throw refused(shown, isTop ? 'is not a folder' : 'is not a file, folder or link')
  if (!stats.isSymbolicLink() && (stats.mode & 0o6000) !== 0)
    throw refused(shown, 'runs with the rights of its owner (set-uid)')
  if (!isFolder) return
  const handle = await open(at, foreignFolderFlags).catch(ignoreReplaced)
  if (!handle) return
  try {
    const through = process.platform === 'linux' ? throughHandle(handle.fd) : at
    for (const name of await readdir(through)) await checkEntry(join(through, name), `${shown}/${name}`)
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
