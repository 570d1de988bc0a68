import { rm } from 'node:fs/promises'
import { run } from '../system/run.js'
import type { SystemAccount } from './account.js'

/**
 * Removes a folder with all in it; nothing to do when there is none.
 *
 * @param account whose processes may change what is in it meanwhile: a folder that they replace by a link must not be
 *   followed, which Node does not promise, and GNU rm does
 */
export async function removeTree(folder: string, account: SystemAccount | undefined): Promise<void> {
  if (account) await run('rm', ['-rf', '--', folder])
  else await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
