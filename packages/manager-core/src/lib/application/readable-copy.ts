import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { accountAt, type SystemAccount } from '../accounts/account.js'
import { copyFolder } from '../accounts/copy-folder.js'
import { give } from '../accounts/give.js'
import { removeTree } from '../accounts/remove-tree.js'
import { closedFolder } from '../accounts/why-not.js'

/**
 * Works with an application as an account can read it: with a copy of its own, which goes afterwards, unless it is that of
 * an instance. Templates are the manager's, and may be closed for everybody else.
 *
 * @param account absent: this process's user, who needs no copy
 */
export async function withReadableCopy<T>(
  app: string,
  account: SystemAccount | undefined,
  work: (app: string) => Promise<T>,
): Promise<T> {
  if (!account || accountAt(dirname(app))) return work(app)
  const folder = await mkdtemp(join(closedFolder(tmpdir()) === undefined ? tmpdir() : '/tmp', 'steward-check-'))
  try {
    const copy = join(folder, 'app')
    await copyFolder(app, copy, { within: dirname(app) })
    await give(copy, account)
    await chmod(folder, 0o711)
    return await work(copy)
  } finally {
    await removeTree(folder, account)
  }
}
