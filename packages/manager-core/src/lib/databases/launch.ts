import { dirname } from 'node:path'
import { DatabaseServerError, type Launch } from '@steward/db-adapters/server'
import { accountAt, withoutPrivileges, type SystemAccount } from '../accounts/account.js'
import { foreignKind, foreignStats } from '../accounts/foreign.js'
import { findAccount } from '../accounts/find-account.js'
import { programPath } from '../system/run.js'

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
 * @throws DatabaseServerError ERR_FAILED for links in place of the files that a container uses
 */
export function launchOf(file: string, user: string): Launch | undefined {
  if (user === '') {
    const isOfContainer = isLent(file)
    if (isOfContainer) refuseLinks(file)
    return (program) => (isOfContainer ? launchedForLent(program) : launchedAs(undefined, program))
  }
  const account = findAccount(user)
  return account && ((program) => launchedAs(account, program))
}

/** Where the home of the manager's user is, is closed for accounts; psql complains when it cannot write its history. */
const homeless = { HOME: '/', TMPDIR: '/tmp', PSQL_HISTORY: '/dev/null' } as const

function launchedAs(account: SystemAccount | undefined, program: string): ReturnType<Launch> {
  const [command, args] = withoutPrivileges(account, program)
  if (command === program) return { command, args }
  if (account) return { command: programPath(command) ?? command, args, environment: homeless }
  return launchedBy(command, args, program)
}

/** Without accounts, nothing of the system is needed: where it has no such program, there is no other way. */
function launchedBy(command: string, args: readonly string[], program: string): ReturnType<Launch> {
  const found = programPath(command)
  return found === undefined ? { command: program, args: [] } : { command: found, args }
}

/** While a container without an account runs, the files are those of its user, whom the folders above do not let pass. */
function isLent(file: string): boolean {
  if (process.getuid?.() !== 0) return false
  const owner = foreignStats(dirname(file))?.uid ?? 0
  return owner !== 0
}

/** They may lead to files of others, which the process can use, too. */
function refuseLinks(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    if (foreignKind(file + suffix) === 'link')
      throw new DatabaseServerError('ERR_FAILED', `"${file}${suffix}" is a link; remove it, and restore a backup.`)
}

/** What SQLite needs to use files of another user, and to make such files. */
function launchedForLent(program: string): ReturnType<Launch> {
  const kept = '--bounding-set=-all,+dac_override,+chown,+fowner'
  return launchedBy('setpriv', [kept, '--inh-caps=-all', '--no-new-privs', '--', program], program)
}
