import { userInfo } from 'node:os'
import { ManagerError } from '../../errors.js'
import { accountAt, asAccount } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import { instanceHomeAt } from '../domain/home.js'

/** Whom a terminal belongs to. */
export interface TerminalUser {
  readonly name: string
  readonly home: string
  readonly shell: string
  /** Program and arguments that make what follows them run as this user; empty: this process does already. */
  readonly become: readonly string[]
}

/**
 * Never root: a manager that runs as root opens terminals as APPS_USER.
 *
 * @throws ManagerError ERR_SETTINGS
 */
export async function terminalUser({ settings }: Pick<ManagerContext, 'settings'>): Promise<TerminalUser> {
  if (process.getuid?.() !== 0) {
    const { username: name, homedir: home, shell } = userInfo()
    return { name, home, shell: usableShell(shell ?? ''), become: [] }
  }
  const { systemUser, systemGroup } = settings.global
  const help = 'Set APPS_USER in config.sh to a user other than root.'
  if (systemUser === undefined)
    throw new ManagerError('ERR_SETTINGS', 'The manager runs as root, but terminals never do.', { help })
  const { execa } = await import('execa')
  const { stdout } = await execa('getent', ['passwd', '--', systemUser], { reject: false })
  const [name, , uid, gid, , home = '/', shell = ''] = (stdout ?? '').split(':')
  if (!name || !uid || !gid)
    throw new ManagerError('ERR_SETTINGS', `The user "${systemUser}" (APPS_USER) does not exist on this machine.`, {
      help,
    })
  if (uid === '0') throw new ManagerError('ERR_SETTINGS', `"${systemUser}" (APPS_USER) is root.`, { help })
  return {
    name,
    home,
    shell: usableShell(shell),
    become: ['setpriv', `--reuid=${uid}`, `--regid=${systemGroup ?? gid}`, '--init-groups', '--inh-caps=-all'],
  }
}

/** The account of an instance, whose terminals belong to no other account. Undefined: it has none. */
export function accountUser(folder: string): TerminalUser | undefined {
  const account = accountAt(folder)
  if (!account) return undefined
  const [program, before] = asAccount(account, '')
  return {
    name: account.name,
    home: instanceHomeAt(folder).data,
    shell: '/bin/sh',
    become: [program, ...before.slice(0, -1)],
  }
}

/** Users of services often have a program that says no. */
function usableShell(shell: string): string {
  return shell === '' || /\/(nologin|false)$/.test(shell) ? '/bin/sh' : shell
}
