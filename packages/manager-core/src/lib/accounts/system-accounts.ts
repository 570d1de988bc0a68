import { ManagerError } from '../../errors.js'
import { run } from '../system/run.js'
import type { SystemAccount } from './account.js'
import { endAllOf } from './end-all-of.js'
import { findAccount } from './find-account.js'

/** Ids of accounts of instances: none of persons, whose ids are given from 1000 up, nor of packages. */
const [firstId, lastId] = [20_000, 59_999]

/** What makes and removes accounts, changes owners, and packs and removes what an instance may change meanwhile. */
export const neededPrograms = ['setpriv', 'useradd', 'userdel', 'chown', 'rm', 'tar'] as const

/**
 * Makes an account without a log-in, in a group of its own; one that is there already is taken.
 *
 * @param home of the manager, for people who look at the accounts of the machine
 */
export async function makeAccount(name: string, home: string): Promise<SystemAccount> {
  const known = findAccount(name)
  if (known) return known
  const ids = [`SYS_UID_MIN=${firstId}`, `SYS_UID_MAX=${lastId}`, `SYS_GID_MIN=${firstId}`, `SYS_GID_MAX=${lastId}`]
  await run('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
    '--comment',
    `Steward ${home.replaceAll(/[^ -~]|[:,]/g, '?')}`,
    ...ids.flatMap((id) => ['-K', id]),
    name,
  ])
  const made = findAccount(name)
  if (made) return made
  throw new ManagerError('ERR_FAILED', `The system account "${name}" was created, but is not in /etc/passwd.`)
}

/** Ends its processes and removes it; nothing to do when there is none of this name. */
export async function removeAccount(name: string): Promise<void> {
  const account = findAccount(name)
  if (!account) return
  await endAllOf(account)
  // One that has ended counts as running until its parent has taken note.
  await run('userdel', ['--force', name])
}

/** @throws ManagerError ERR_STATE when it is gone, or its ids are another account's now */
export function checkAccount({ name, uid, gid }: SystemAccount): void {
  const found = findAccount(name)
  if (found?.uid === uid && found.gid === gid) return
  throw new ManagerError(
    'ERR_STATE',
    found
      ? `The system account "${name}" of the instance has other ids on this machine (${found.uid}:${found.gid}, not ${uid}:${gid}).`
      : `The system account "${name}" of the instance does not exist on this machine.`,
    { help: 'Create a new account for it: manager isolate <name>' },
  )
}
