import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { homeAt } from '../domain/home.js'
import { newPassword } from '../domain/passwords.js'
import { installCron, removeCron } from '../schedule/crontab.js'
import { hasSystemd } from '../schedule/systemd.js'
import { configText } from '../settings/make-home.js'
import { putPiece, removePiece } from './files.js'
import type { SetupLook } from './look.js'
import { accountOf } from './machine.js'
import type { SetupOptions } from './options.js'
import { jobRunner, jobs, jobUnits } from './plan.js'
import { proxyCommand, type ProxyProgram } from './proxy-pieces.js'
import { fingerprintOf, writeRecord, type SetupRecord } from './record.js'
import { run, tryRun } from './run.js'

/** What setup did; empty lists: nothing. */
export interface SetupOutcome {
  readonly changes: readonly string[]
  readonly warnings: readonly string[]
  /** The server answers; undefined: it was not started. */
  readonly answers: boolean | undefined
}

export type Say = (step: string) => void

/** Settings of a new home. */
export function configOf({ options, proxy }: Pick<SetupLook, 'options' | 'proxy'>): string {
  const { domain, port, email, https, certificate, key, user } = options
  const url = domain === undefined ? `http://localhost:${port}` : `${https === 'none' ? 'http' : 'https'}://${domain}`
  return configText(url, newPassword(), {
    APPS_LISTEN: `127.0.0.1:${port}`,
    // Never as root for want of an account.
    ...(user === 'root' && { APPS_ISOLATION: 'yes' }),
    ...(email !== undefined && { APPS_EMAIL: email }),
    ...(proxy && { APPS_PROXY: 'yes', APPS_HTTPSERVER: proxy.type }),
    ...(proxy && user !== 'root' && { APPS_PROXYCOMMAND: proxyCommand(options) }),
    ...(https === 'acme' && { APPS_ACME: 'yes' }),
    ...(https === 'files' && { APPS_SERVER_CERT: certificate ?? '', APPS_SERVER_KEY: key ?? '' }),
  })
}

/** Makes what is missing and brings up to date what setup made before. Called again after a failure it continues. */
export async function setUp(found: SetupLook, say: Say): Promise<SetupOutcome> {
  const { options, root, command, version, pieces, proxy } = found
  const isHere = root === '/'
  const changes: string[] = []
  const warnings: string[] = [...found.warnings]
  let record = found.record ?? newRecord(found)
  const note = (more: Partial<SetupRecord>) => writeRecord(root, (record = { ...record, ...more }))

  const isUpgrade = record.version !== version
  if (JSON.stringify(record) !== JSON.stringify({ ...record, options, command, version }) || !found.record)
    note({ options, command, version, proxy: proxy?.type ?? 'none' })

  const account = isHere
    ? (found.account ?? (await makeAccount(options, changes, say, () => note({ madeAccount: true }))))
    : undefined
  if (makeHomeFolder(found, account)) {
    note({ madeHome: true })
    changes.push(`home ${options.home}`)
  }
  if (!found.hasConfig) {
    const { config } = homeAt(join(root, options.home))
    writeFileSync(config, configOf(found), { flag: 'wx', mode: 0o600 })
    if (account) chownSync(config, account.uid, account.gid)
    changes.push('config.sh')
  }
  if (isHere && !existsSync(homeAt(options.home).database)) {
    say('Creating the registry and fetching the first version')
    const init = [...command, 'init', '--home', options.home, '--json']
    await run(init, `Creating the home ${options.home}`, { account, environment: { HOME: options.home } })
  }

  const written = new Set<string>()
  for (const piece of pieces) {
    const { path, state, text, about } = piece
    if (state === 'create' || state === 'update') {
      say(`${path}: ${about}`)
      const folders = await putPiece(piece, root)
      note({
        pieces: { ...record.pieces, [path]: fingerprintOf(text) },
        madeFolders: [...record.madeFolders, ...folders],
      })
      written.add(path)
      changes.push(path)
    } else if (state === 'changed') warnings.push(`${path} was changed manually, and was left alone.`)
    else if (state === 'newer') {
      const beside = `${path}.dpkg-dist`
      writeFileSync(join(root, beside), text, { mode: piece.mode })
      warnings.push(`${path} was changed manually, and was left alone. The new contents are in ${beside}.`)
    } else if (record.pieces[path] === undefined) note({ pieces: { ...record.pieces, [path]: fingerprintOf(text) } })
  }
  for (const path of Object.keys(record.pieces)) {
    if (pieces.some((piece) => piece.path === path)) continue
    const kept = removePiece(path, record.pieces[path] as string, root)
    const { [path]: _gone, ...left } = record.pieces
    note({ pieces: left })
    written.add(path)
    changes.push(`${path}, which is no longer needed${kept === undefined ? '' : `; kept as ${kept}`}`)
  }
  if (!isHere) return { changes, warnings, answers: undefined }

  if (proxy && [...written].some((path) => /^\/etc\/(nginx|apache2)\//.test(path)))
    warnings.push(...(await reloadProxy(proxy, say)))
  const isStale = isUpgrade || written.has(`/etc/systemd/system/${options.service}.service`)
  const answers = await startServices(found, { isStale, written, changes, say })
  return { changes, warnings, answers }
}

function newRecord({ options, command, version, proxy }: SetupLook): SetupRecord {
  return {
    options,
    command,
    version,
    proxy: proxy?.type ?? 'none',
    madeAccount: false,
    madeHome: false,
    madeFolders: [],
    pieces: {},
  }
}

async function makeAccount({ user, home }: SetupOptions, changes: string[], say: Say, made: () => void) {
  say(`Creating the account ${user}`)
  const more = ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', '/usr/sbin/nologin']
  await run(['useradd', ...more, user], `Creating the account ${user}`)
  made()
  changes.push(`account ${user}`)
  const account = await accountOf(user)
  if (account) return account
  throw new ManagerError('ERR_FAILED', `The account ${user} was created, but cannot be found.`)
}

/** @returns whether it was made */
function makeHomeFolder(
  { options: { home }, root }: SetupLook,
  account: { uid: number; gid: number } | undefined,
): boolean {
  const folder = join(root, home)
  if (statSync(folder, { throwIfNoEntry: false })) return false
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
  return true
}

/** Tested as a whole before it is loaded. @returns warnings */
export async function reloadProxy(
  { type, program, test, reload, unit }: ProxyProgram,
  say: Say,
): Promise<readonly string[]> {
  say(`Reloading ${type}`)
  await run([program, ...test], `The test of the configuration of ${type}`)
  if (hasSystemd()) {
    const { ok } = await tryRun(['systemctl', 'is-active', '--quiet', unit])
    if (!ok) return [`${type} does not run. Start it: systemctl enable --now ${unit}`]
    await run(['systemctl', 'reload', unit], `Reloading ${type}`)
    return []
  }
  const { ok } = await tryRun([program, ...reload])
  return ok ? [] : [`${type} does not run. Start it: ${program}`]
}

interface Starting {
  /** The server runs with what is no longer there. */
  readonly isStale: boolean
  readonly written: ReadonlySet<string>
  readonly changes: string[]
  readonly say: Say
}

/** @returns whether the server answers; undefined: nothing is started here now */
async function startServices(
  found: SetupLook,
  { isStale, written, changes, say }: Starting,
): Promise<boolean | undefined> {
  const { options, command, account } = found
  const { service, home, user, port, supervisor } = options
  const cronUser = user === 'root' ? 'root' : user
  if (supervisor === 'cron') {
    mkdirSync(homeAt(home).logs, { recursive: true, mode: 0o700 })
    if (await installCron(jobs, jobRunner({ home, command }), { user: cronUser }))
      changes.push(`crontab of ${cronUser}`)
    return undefined
  }
  // Done by both, all would be done twice.
  await removeCron(home, { user: cronUser }).catch(() => false)
  const isActive = hasSystemd()
  if (isActive && [...written].some((path) => path.startsWith('/etc/systemd/')))
    await run(['systemctl', 'daemon-reload'], 'Loading the units')
  const units = jobUnits({ home, command, user, group: account?.group ?? user })
  const socket = `${service}.socket`
  const wanted = [`${service}.service`, socket, ...units.filter(({ enabled }) => enabled).map(({ name }) => name)]
  for (const unit of wanted) {
    const starts = isActive && unit.endsWith('.timer')
    const isDone = await tryRun(['systemctl', ...(starts ? ['is-active'] : ['is-enabled']), '--quiet', unit])
    if (isDone.ok) continue
    say(`Enabling ${unit}`)
    await run(['systemctl', 'enable', ...(starts ? ['--now'] : []), unit], `Enabling ${unit}`)
    changes.push(`${unit} enabled`)
  }
  if (!isActive) return undefined
  const { ok: listens } = await tryRun(['systemctl', 'is-active', '--quiet', socket])
  const { ok: runs } = await tryRun(['systemctl', 'is-active', '--quiet', service])
  if (!listens || written.has(`/etc/systemd/system/${socket}`)) {
    // While the server has the port itself, systemd cannot listen there.
    if (runs) await run(['systemctl', 'stop', service], 'Stopping the server')
    await run(['systemctl', 'restart', socket], `Starting ${socket}`)
  }
  if (!runs || isStale || !listens || written.has(`/etc/systemd/system/${socket}`)) {
    say(`${runs ? 'Restarting' : 'Starting'} the server`)
    await run(['systemctl', 'restart', service], 'Starting the server')
    changes.push(`server ${runs ? 'restarted' : 'started'}`)
  }
  return answersAt(port)
}

/** Waits for the server. */
async function answersAt(port: number): Promise<boolean> {
  const until = Date.now() + 60_000
  while (Date.now() < until) {
    try {
      const { ok } = await fetch(`http://127.0.0.1:${port}/ping`, { signal: AbortSignal.timeout(5_000) })
      if (ok) return true
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return false
}
