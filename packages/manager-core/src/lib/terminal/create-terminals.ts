import { ManagerError } from '../../errors.js'
import { withoutLoader } from '../accounts/account.js'
import type { ManagerContext } from '../context.js'
import type { Caller } from '../domain/caller.js'
import type { Instance } from '../domain/instance.js'
import { recordHistory } from '../history/record-history.js'
import { createRefusals } from '../history/refusals.js'
import { commandFolder } from './command-folder.js'
import { shellEnvironment } from './shell-environment.js'
import { accountUser, terminalUser } from './terminal-user.js'

/** A shell for a pseudo-terminal. */
export interface Terminal {
  /** Program and arguments. */
  readonly command: readonly string[]
  /** All of its environment; with secrets when it is of an instance. */
  readonly environment: Readonly<Record<string, string>>
  /** Login of the user that it runs as. */
  readonly user: string
  /** Puts into the history how it ended and how long it was open; once. */
  ended(how: string): Promise<void>
}

/** Shells for people in the browser. */
export interface Terminals {
  /**
   * Whether the caller may have a terminal, of the manager or of an instance: a shell can do all that the manager can. That
   * it may not is in the history.
   *
   * @throws ManagerError ERR_ACCESS; ERR_STATE when there are none; ERR_SETTINGS with the default password; ERR_NOT_FOUND
   */
  check(caller: Caller, instance?: string): void
  /**
   * What to run; that it was opened, and how it was closed, is in the history.
   *
   * @throws ManagerError what `check` throws; ERR_SETTINGS when it would run as root
   */
  open(caller: Caller, instance?: string): Promise<Terminal>
}

/** The server's variables that have no secrets. */
const passedOn = /^(LANG|LC_\w+|TZ|NODE_EXTRA_CA_CERTS)$/

/** Prepares shells of the manager and of instances for those who may have one. Each attempt is in the history. */
export function createTerminals(context: ManagerContext): Terminals {
  const { settings, registry, home } = context
  const refusals = createRefusals(context)
  const find = (name: string | undefined) => (name === undefined ? undefined : registry.get(name))

  function check(caller: Caller, name?: string): void {
    const { abilities, scope } = caller.grant
    if (!settings.global.terminal)
      throw new ManagerError('ERR_STATE', 'The terminal is disabled.', {
        help: 'Set APPS_TERMINAL=yes in config.sh.',
      })
    // All users of this machine know the default one, and may come in.
    if (settings.global.password === undefined)
      throw new ManagerError('ERR_SETTINGS', 'The terminal requires a password other than the default one.', {
        help: 'Set APPS_PASSWORD in config.sh.',
      })
    if (!scope.all || !abilities.has('admin') || !abilities.has('sensitive')) {
      const reason = 'The terminal requires the abilities "admin" and "sensitive" for all instances.'
      refusals.note({ caller, action: 'terminal', reason })
      throw new ManagerError('ERR_ACCESS', reason)
    }
    find(name)
  }

  return {
    check,
    async open(caller, name) {
      check(caller, name)
      const instance = find(name)
      const of = { action: 'terminal', instance }
      const folder = instance ? home.instance(instance.id).folder : home.folder
      const { message: _, ...shell } = await recordHistory(context, caller, of, async () => {
        const made = await shellOf(context, folder, instance)
        return { message: `Terminal opened as ${made.user} in ${folder}`, ...made }
      })
      const { promise, resolve } = Promise.withResolvers<string>()
      const closed = recordHistory(context, caller, of, async () => ({ message: `Terminal closed: ${await promise}` }))
      return {
        ...shell,
        async ended(how) {
          resolve(how)
          await closed
        },
      }
    },
  }
}

async function shellOf(
  context: ManagerContext,
  folder: string,
  instance: Instance | undefined,
): Promise<Omit<Terminal, 'ended'>> {
  const { name, home, shell, become } = accountUser(folder) ?? (await terminalUser(context))
  const own = Object.entries(process.env).filter(([key]) => passedOn.test(key)) as [string, string][]
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const { assigned, rest } = withoutLoader(instance ? await shellEnvironment(context, instance) : {})
  return {
    // APPS_USER need not be able to enter the folder.
    command: [...become, ...assigned, '/bin/sh', '-c', 'cd "$0" 2>/dev/null || cd /; exec "$@"', folder, shell],
    environment: {
      ...Object.fromEntries(own),
      ...rest,
      USER: name,
      LOGNAME: name,
      HOME: home,
      SHELL: shell,
      APPS_HOME: context.home.folder,
      PATH: `${commandFolder(context)}:${path}`,
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
    },
    user: name,
  }
}
