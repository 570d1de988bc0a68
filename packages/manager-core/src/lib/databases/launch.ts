import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Launch } from '@steward/db-adapters/server'
import { accountAt, withoutPrivileges, type SystemAccount } from '../accounts/account.js'
import { findAccount } from '../accounts/find-account.js'

/**
 * How vendors' programs run that use the database of the instance in this folder: as its account; without one, as the user
 * of this process, but without root's capabilities.
 */
export function launchIn(folder: string | undefined): Launch {
  return (program) => launchedAs(folder === undefined ? undefined : accountAt(folder), program)
}

/**
 * How programs run that open an embedded database.
 *
 * @param user its system account; empty: it is in a home without accounts
 * @returns undefined when there is no such account
 */
export function launchOf(file: string, user: string): Launch | undefined {
  if (user === '') return (program) => (isLent(file) ? launchedForLent(program) : launchedAs(undefined, program))
  const account = findAccount(user)
  return account && ((program) => launchedAs(account, program))
}

function launchedAs(account: SystemAccount | undefined, program: string): ReturnType<Launch> {
  const [command, args] = withoutPrivileges(account, program)
  // Where the home of the manager's user is, is closed for accounts.
  return { command, args, ...(account && { environment: { HOME: '/', TMPDIR: '/tmp' } }) }
}

/** While a container without an account runs, the files are those of its user, whom the folders above do not let pass. */
function isLent(file: string): boolean {
  if (process.getuid?.() !== 0) return false
  const owner = statSync(dirname(file), { throwIfNoEntry: false })?.uid ?? 0
  return owner !== 0
}

/** What SQLite needs to use files of another user, and to make such files. */
function launchedForLent(program: string): ReturnType<Launch> {
  const kept = '--bounding-set=-all,+dac_override,+chown,+fowner'
  return { command: 'setpriv', args: [kept, '--inh-caps=-all', '--no-new-privs', '--', program] }
}
