import { existsSync } from 'node:fs'
import { ManagerError } from '../../errors.js'
import { homeAt } from '../domain/home.js'
import { run } from '../system/run.js'
import type { SystemAccount } from './account.js'
import { endAllOf } from './end-all-of.js'
import { commentOf, findAccount } from './find-account.js'
import { removeTree } from './remove-tree.js'

/** Ids of accounts of instances: none of persons, whose ids are given from 1000 up, nor of packages. */
const [firstId, lastId] = [20_000, 59_999]

/** What makes and removes accounts, changes owners, and packs and removes what an instance may change meanwhile. */
export const neededPrograms = ['setpriv', 'useradd', 'usermod', 'userdel', 'chown', 'rm', 'tar'] as const

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
    markOf(home),
    ...ids.flatMap((id) => ['-K', id]),
    name,
  ])
  const made = findAccount(name)
  if (made) return made
  throw new ManagerError('ERR_FAILED', `The system account "${name}" was created, but is not in /etc/passwd.`)
}

/** What an account says about the home that it was made for. */
export const markOf = (home: string) => `Steward ${home.replaceAll(/[^ -~]|[:,]/g, '?')}`

/** Notes that an account belongs to this home; nothing to do when there is none of this name. */
export async function markAccount(name: string, home: string): Promise<void> {
  if (findAccount(name)) await run('usermod', ['--comment', markOf(home), name])
}

/**
 * Ends its processes and removes it; nothing to do when there is none of this name.
 *
 * @param home of the manager
 * @throws ManagerError ERR_STATE when it belongs to another home, which adopted it
 */
export async function removeAccount(name: string, home: string): Promise<void> {
  const account = findAccount(name)
  if (!account) return
  const comment = commentOf(name)
  const marked = /^Steward (\/.*)$/.exec(comment)?.[1]
  if (marked !== undefined && comment !== markOf(home) && isHome(marked))
    throw new ManagerError('ERR_STATE', `The system account "${name}" belongs to the manager's home ${marked}.`, {
      help: 'It is removed there. If that home is a copy that is no longer used, remove the copy.',
    })
  await endAllOf(account)
  // The next account with this id would run it.
  await removeTree(compiledCodeOf(account), account)
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

/** Where the programs of an account keep their compiled code (`tsup.base.ts`): accounts have no TMPDIR. */
export function compiledCodeOf({ uid }: Pick<SystemAccount, 'uid'>): string {
  return `/tmp/steward-code-${uid}`
}

function isHome(folder: string): boolean {
  return existsSync(homeAt(folder).config)
}
