import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../system/run.js'
import { accountAt, accountFile, type SystemAccount } from './account.js'

/**
 * Removes a folder with all in it; nothing to do when there is none. Nothing else in the manager removes folders that an
 * account can change.
 *
 * @param account whose processes may change what is in it meanwhile: a folder that they replace by a link must not be
 *   followed, which Node does not promise, and GNU rm does
 */
export async function removeTree(folder: string, account: SystemAccount | undefined): Promise<void> {
  if (account || (await isOfOthers(folder))) await run('rm', ['-rf', '--', folder])
  else await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * The same for the home of an instance, wherever it is. The name of its account goes last: when this is interrupted, the
 * next attempt still knows it.
 */
export async function removeHome(folder: string): Promise<void> {
  const account = accountAt(folder)
  if (account)
    for (const name of await readdir(folder)) if (name !== accountFile) await removeTree(join(folder, name), account)
  await removeTree(folder, account)
}

/** Whether it, or something in it, belongs to another user than root and this process's: what that user can change. */
async function isOfOthers(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return false
  const isOther = async (path: string) => {
    const stats = await lstat(path).catch(() => undefined)
    return stats !== undefined && stats.uid !== 0
  }
  if (await isOther(folder)) return true
  for (const name of await readdir(folder).catch(() => [])) if (await isOther(join(folder, name))) return true
  return false
}
