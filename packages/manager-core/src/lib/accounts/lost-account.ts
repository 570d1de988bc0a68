import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceHome } from '../domain/home.js'
import { accountFile, type SystemAccount } from './account.js'
import { accountOfUid, commentOf } from './find-account.js'
import { markOf } from './system-accounts.js'

/**
 * The account that the data of an instance belong to although the file that names it is gone: without it, the next start
 * would run the instance as the manager's user. Undefined: it has its file, or never had an account of this home.
 *
 * @param home of the manager
 */
export function lostAccount({ folder, data }: InstanceHome, home: string): SystemAccount | undefined {
  if (process.getuid?.() !== 0 || existsSync(join(folder, accountFile))) return undefined
  // It is in a folder of the manager's, so no instance put another one there.
  const uid = lstatSync(data, { throwIfNoEntry: false })?.uid
  const account = uid === undefined || uid === 0 ? undefined : accountOfUid(uid)
  return account && commentOf(account.name) === markOf(home) ? account : undefined
}
