import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { programPath, run } from '../system/run.js'
import { accountAt, type SystemAccount } from './account.js'

/**
 * Removes a folder with all in it; nothing to do when there is none. The manager removes no folder in another way.
 *
 * @param account whose processes may change what is in it meanwhile: a folder that they replace by a link must not be
 *   followed, which Node does not promise, and GNU rm does
 */
export async function removeTree(folder: string, account?: SystemAccount): Promise<void> {
  if (account || isOfOthers(folder)) await run('rm', ['-rf', '--', folder])
  else await rm(folder, { recursive: true, force: true, maxRetries: 3 })
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

/** Whether it, or something in it, belongs to another user than root and this process's: what that user can change. */
function isOfOthers(folder: string): boolean {
  if (process.getuid?.() !== 0) return false
  const top = lstatSync(folder, { throwIfNoEntry: false })
  if (!top?.isDirectory()) return false
  const isOther = (path: string) => (lstatSync(path, { throwIfNoEntry: false })?.uid ?? 0) !== 0
  return top.uid !== 0 || readdirSync(folder).some((name) => isOther(join(folder, name)))
}
