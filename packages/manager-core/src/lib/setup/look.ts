import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { whyNotIsolated } from '../accounts/why-not.js'
import { homeAt } from '../domain/home.js'
import { packageFolderOf } from '../self-upgrade/installation.js'
import { refuseForeign } from '../settings/make-home.js'
import { stateOf, textAt, type PieceState } from './files.js'
import { accountOf, installedProxies, isDebian, isTaken, supervisorOf, type Account } from './machine.js'
import { serviceOf, setupOptions, type SetupInput, type SetupOptions } from './options.js'
import type { Piece } from './piece.js'
import { piecesOf } from './plan.js'
import type { ProxyProgram } from './proxy-pieces.js'
import { allRecords, homeFile, readRecord, type SetupRecord } from './record.js'
import { tryRun } from './run.js'

export interface SetupRequest {
  readonly input: SetupInput
  /** Absolute. */
  readonly home: string
  /** The manager: Node and a file. */
  readonly command: readonly string[]
  readonly applicationServer: string
}

/** What setup found, and what it makes of it. */
export interface SetupLook {
  readonly options: SetupOptions
  readonly command: readonly string[]
  readonly version: string
  /** Folder that stands for `/`. */
  readonly root: string
  readonly record: SetupRecord | undefined
  readonly account: Account | undefined
  readonly proxy: ProxyProgram | undefined
  readonly pieces: readonly (Piece & { readonly state: PieceState })[]
  readonly hasConfig: boolean
  readonly warnings: readonly string[]
}

/**
 * Looks at the machine and refuses what would not work, before anything is changed.
 *
 * @throws ManagerError ERR_USAGE, ERR_STATE, ERR_ACCESS
 */
export async function look(
  { input, home, command, applicationServer }: SetupRequest,
  { dryRun }: { dryRun: boolean },
): Promise<SetupLook> {
  const root = rootOf(input)
  const record = readRecord(root, serviceOf(input))
  const last: Partial<SetupOptions> = record?.options ?? {}
  const options = setupOptions(input, { home, last, supervisor: supervisorOf(root) })
  if (!dryRun) needRoot(root)
  if (!isDebian(root))
    throw new ManagerError('ERR_STATE', 'setup only supports Debian and Ubuntu.', {
      help:
        'To set up the machine manually, see docs/production.md or the output of: manager setup --dry-run --root ' +
        '<folder of a Debian>',
    })
  checkOthers(options, root)
  const account = options.user === 'root' ? { uid: 0, gid: 0, group: 'root' } : await accountOf(options.user)
  checkHome(options, root, account)
  const proxy = proxyOf(options, root)
  const isDefaultHome = [undefined, `${home}\n`].includes(textAt(join(root, homeFile)))
  const group = account?.group ?? options.user
  const listen = listenIn(textAt(homeAt(join(root, home)).config))
  const plan = { options, command, group, proxy, root, listen, isDefaultHome }
  const pieces = piecesOf(plan)
    .map((piece) => ({ ...piece, state: stateOf(piece, record?.pieces[piece.path], root) }))
    // Modules that were loaded already are not setup's to unload.
    .filter(({ isLink, state }) => !isLink || state !== 'foreign')
  const foreign = pieces.find(({ state }) => state === 'foreign')
  if (foreign)
    throw new ManagerError('ERR_STATE', `${foreign.path} already exists, and setup did not write it.`, {
      help: 'Move it away, or use another service name with --service.',
    })
  if (root === '/') {
    if (record === undefined && isTaken(options.port)) throw portTaken(options.port)
    if (options.supervisor === 'cron') checkCron()
    if (proxy && !dryRun) await checkProxy(proxy, options)
    await checkProgram(command, options.user, account)
    checkAccounts(options, applicationServer)
  }
  const hasConfig = existsSync(homeAt(join(root, home)).config)
  return {
    options,
    command,
    root,
    record,
    account,
    proxy,
    pieces,
    hasConfig,
    version: versionOf(command),
    warnings: [...differences(input, last, hasConfig, home), ...openPrograms(command, options)],
  }
}

/** APPS_LISTEN of `config.sh`, when it is an IP address and a port. */
function listenIn(config: string | undefined): string | undefined {
  const found = /^\s*(?:export\s+)?APPS_LISTEN=(["']?)(.+):(\d{1,5})\1\s*$/m.exec(config ?? '')
  const [, , host = '', port] = found ?? []
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0 ? undefined : `${host}:${port}`
}

export function rootOf(input: SetupInput): string {
  return input.root ?? '/'
}

/** @throws ManagerError ERR_ACCESS */
export function needRoot(root: string): void {
  if (root !== '/' || process.getuid?.() === 0) return
  throw new ManagerError('ERR_ACCESS', 'setup requires root, because it writes system files.', {
    help: 'Run it with sudo. --dry-run does not require root.',
  })
}

function checkOthers({ home, service }: SetupOptions, root: string): void {
  for (const { options } of allRecords(root)) {
    if (options.service === service && options.home !== home)
      throw new ManagerError('ERR_STATE', `The service "${service}" belongs to another manager: ${options.home}.`, {
        help: `Use that home with --home, or another service for ${home} with --service.`,
      })
    if (options.service !== service && options.home === home)
      throw new ManagerError('ERR_STATE', `${home} already has a service: "${options.service}".`, {
        help: `Name it with --service ${options.service}, or another home with --home.`,
      })
  }
}

/** @throws ManagerError ERR_STATE when something else is there, or it belongs to another account */
function checkHome({ home, user }: SetupOptions, root: string, account: Account | undefined): void {
  const there = homeAt(join(root, home))
  const stats = statSync(there.folder, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (!stats.isDirectory()) throw new ManagerError('ERR_STATE', `${home} is not a folder.`)
  refuseForeign(there, readdirSync(there.folder))
  const owner = statSync(there.config, { throwIfNoEntry: false })?.uid
  if (owner === undefined || root !== '/' || owner === account?.uid) return
  throw new ManagerError('ERR_STATE', `${there.config} does not belong to ${user}, which would run this manager.`, {
    help: `Use its owner with --user, or another home with --home. To give it to ${user}: chown -R ${user}: ${home}`,
  })
}

/** @throws ManagerError ERR_STATE when the one that is wanted is not installed */
function proxyOf({ proxy, domain }: SetupOptions, root: string): ProxyProgram | undefined {
  if (proxy === 'none' || domain === undefined) return undefined
  const installed = installedProxies(root)
  const found = proxy === 'auto' ? installed[0] : installed.find(({ type }) => type === proxy)
  if (found) return found
  const name = proxy === 'auto' ? 'Neither nginx nor Apache httpd is' : `${proxy} is not`
  throw new ManagerError('ERR_STATE', `${name} installed, so ${domain} cannot be served.`, {
    help: `Install it: apt-get install ${proxy === 'httpd' ? 'apache2' : 'nginx'}. With a reverse proxy elsewhere: --proxy none.`,
  })
}

function checkCron(): void {
  const missing = ['/usr/bin/crontab', '/usr/bin/flock'].find((program) => !existsSync(program))
  if (missing === undefined) return
  throw new ManagerError('ERR_STATE', `${missing} is missing, but required on a server without systemd.`, {
    help: 'Install it: apt-get install cron util-linux.',
  })
}

async function checkProxy({ type, program, test }: ProxyProgram, { user }: SetupOptions): Promise<void> {
  const { ok, output } = await tryRun([program, ...test])
  if (!ok)
    throw new ManagerError('ERR_STATE', `${type} refuses its current configuration.`, {
      help: `Correct it first: ${program} ${test.join(' ')}`,
      output,
    })
  if (user === 'root' || existsSync('/usr/bin/sudo')) return
  throw new ManagerError('ERR_STATE', `sudo is not installed, so ${user} cannot reload ${type}.`, {
    help: 'Install it: apt-get install sudo. Or let the manager run as root (without --user), or use --proxy none.',
  })
}

/** Instances of a manager that runs as root have to run as another user. */
function checkAccounts({ user, home }: SetupOptions, applicationServer: string): void {
  if (user !== 'root' || process.getuid?.() !== 0) return
  const obstacle = whyNotIsolated({ home: homeAt(home), applicationServer })
  if (obstacle)
    throw new ManagerError('ERR_STATE', `Instances cannot have their own accounts: ${obstacle.reason}`, {
      help: `${obstacle.help} Or use one account for the manager and all instances with --user.`,
    })
}

const nobody = { uid: 65_534, gid: 65_534 }

/** The account must be able to run the manager: npm's global folder may be in root's own. */
async function checkProgram(command: readonly string[], user: string, account: Account | undefined): Promise<void> {
  if (user === 'root' || process.getuid?.() !== 0) return
  const who = account ?? nobody
  const { ok, output } = await tryRun([...command, '--version'], { account: who, environment: { HOME: '/' } })
  if (ok) return
  const closed = command.flatMap((file) => closedFolder(file, who)).at(0)
  throw new ManagerError(
    'ERR_STATE',
    `${user} cannot run the manager: ${closed ? `${closed} is closed to it` : 'it ends'}.`,
    {
      help: 'Install Node.js and the manager where every account can read them, such as in /usr or /usr/local.',
      output,
    },
  )
}

/** Folders on the way to a file, outermost first, that this account cannot enter. */
function closedFolder(file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): readonly string[] {
  return pathTo(file).filter((folder) => {
    const stats = statSync(folder)
    const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001
    return (stats.mode & bit) === 0
  })
}

function pathTo(file: string): readonly string[] {
  const folder = dirname(file)
  return folder === file ? [] : [...pathTo(folder), folder]
}

/** What root runs must be root's. */
function openPrograms(command: readonly string[], { user }: SetupOptions): readonly string[] {
  if (user !== 'root') return []
  return command
    .filter(existsSync)
    .map((file) => realpathSync(file))
    .flatMap((file) => {
      const open = [...pathTo(file), file].find((one) => {
        const { uid, mode } = statSync(one)
        return uid !== 0 || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0)
      })
      return open === undefined
        ? []
        : [`The manager runs as root, but other users can change its program: ${open}. Install it as root.`]
    })
}

/** Settings are the operator's once they are there. */
function differences(
  input: SetupInput,
  last: Partial<SetupOptions>,
  hasConfig: boolean,
  home: string,
): readonly string[] {
  if (!hasConfig) return []
  const before = { ...last, http: last.https === 'none' }
  const named = (['domain', 'email', 'certificate', 'key', 'port', 'http'] as const).filter(
    (name) => input[name] !== undefined && input[name] !== false && input[name] !== before[name],
  )
  if (named.length === 0) return []
  const list = named.map((name) => `--${name}`).join(', ')
  return [`${home}/config.sh already exists and was not changed. To apply ${list}, edit it.`]
}

function portTaken(port: number): ManagerError {
  return new ManagerError('ERR_STATE', `Port ${port} is used by another program.`, {
    help: `Use another port with --port. To see the program: ss -ltnp 'sport = :${port}'`,
  })
}

function versionOf([, file = '']: readonly string[]): string {
  const folder = packageFolderOf(file)
  if (folder === undefined) return basename(file)
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
