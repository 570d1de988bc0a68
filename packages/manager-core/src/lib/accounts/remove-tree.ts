import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { programPath, run } from '../system/run.js'
import { accountAt, type SystemAccount } from './account.js'
import { foreignFolderFlags, ignoreReplaced, throughHandle } from './foreign.js'

/**
 * Removes a folder with all in it; nothing to do when there is none. The manager removes no folder in another way.
 *
 * @param account whose processes may change what is in it meanwhile: a folder that they replace by a link must not be
 *   followed, which Node does not promise, and GNU rm does
 */
export async function removeTree(folder: string, account?: SystemAccount): Promise<void> {
  if (!account && !isOfOthers(folder)) return rm(folder, { recursive: true, force: true, maxRetries: 3 })
  for (let attempt = 1; ; attempt++)
    try {
      await run('rm', ['-rf', '--', folder])
      return
    } catch (error) {
      if (attempt === attempts || process.getuid?.() !== 0) throw error
      await freeze(folder, deepest)
    }
}

/** Each but the first one finds folders in which no account can change anything. */
const attempts = 3

/** Each of them is open meanwhile. What is deeper is found by the next attempt. */
const deepest = 500

/**
 * Takes the folders below a folder from their account, each before what is in it is read: from then on processes of the
 * account, also those that have it open, cannot add, move or remove anything in it.
 */
async function freeze(folder: string, depth: number): Promise<void> {
  const handle = await open(folder, foreignFolderFlags).catch(ignoreReplaced)
  if (!handle) return
  try {
    // Its group still shows that it was an account's.
    await handle.chown(0, (await handle.stat()).gid)
    await handle.chmod(0o700)
    const at = throughHandle(handle.fd)
    for (const entry of await readdir(at, { withFileTypes: true }))
      if (entry.isDirectory() && depth > 0) await freeze(join(at, entry.name), depth - 1)
  } finally {
    await handle.close()
  }
}

/** The same at once. @param isShared accounts may change what is deep in it, as in the manager's home */
export function removeTreeSync(folder: string, { isShared = false } = {}): void {
  if (process.getuid?.() === 0 && (isShared || isOfOthers(folder)))
    execFileSync(programPath('rm') ?? 'rm', ['-rf', '--', folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * The same for the home of an instance, wherever it is. Its folders go first, then what the manager notes beside them: when
 * this is interrupted, or the account adds files meanwhile, the next attempt still knows whose it is.
 */
export async function removeHome(folder: string): Promise<void> {
  const account = accountAt(folder)
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await removeTree(join(folder, entry.name), account)
  await removeTree(folder, account)
}

/** Whether it, or something in it, belongs to another user or group than root's: what that user can change, or could. */
function isOfOthers(folder: string): boolean {
  if (process.getuid?.() !== 0) return false
  const top = lstatSync(folder, { throwIfNoEntry: false })
  if (!top?.isDirectory()) return false
  const isOther = (path: string) => {
    const { uid = 0, gid = 0 } = lstatSync(path, { throwIfNoEntry: false }) ?? {}
    return uid !== 0 || gid !== 0
  }
  return isOther(folder) || readdirSync(folder).some((name) => isOther(join(folder, name)))
}
