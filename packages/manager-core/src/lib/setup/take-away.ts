import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeTreeSync } from '../accounts/remove-tree.js'
import { ManagerError } from '../../errors.js'
import { homeAt } from '../domain/home.js'
import { removeCron } from '../schedule/crontab.js'
import { hasSystemd } from '../schedule/systemd.js'
import { removeFolders, removePiece } from './files.js'
import { needRoot, rootOf } from './look.js'
import { accountOf } from './machine.js'
import { serviceOf, type SetupInput } from './options.js'
import { proxyPrograms } from './proxy-pieces.js'
import { readRecord, removeRecord, writeRecord, type SetupRecord } from './record.js'
import { run, tryRun } from './run.js'
import { reloadProxy, type Say } from './set-up.js'

export interface SetupRemoval {
  readonly record: SetupRecord
  readonly root: string
  /** The home goes, too, with all instances. */
  readonly purge: boolean
}

/** @throws ManagerError ERR_NOT_FOUND, ERR_USAGE, ERR_ACCESS */
export function lookForRemoval(input: SetupInput, { dryRun }: { dryRun: boolean }): SetupRemoval {
  const root = rootOf(input)
  const service = serviceOf(input)
  const record = readRecord(root, service)
  if (!record)
    throw new ManagerError('ERR_NOT_FOUND', `setup has no record of a service "${service}" here.`, {
      help: 'Use another one with --service; they are in /etc/steward.',
    })
  const { home } = record.options
  const { purge } = input
  if (purge !== undefined && purge !== home)
    throw new ManagerError('ERR_USAGE', `"${purge}" is not the home of this manager.`, {
      help: `To also delete its instances, backups and home, name it: --purge ${home}`,
    })
  if (!dryRun) needRoot(root)
  return { record, root, purge: purge !== undefined }
}

/** Takes away what setup made, the server first. @returns what is left, for people */
export async function takeAway({ record, root, purge }: SetupRemoval, say: Say): Promise<readonly string[]> {
  const { options, pieces, madeAccount, madeFolders, madeHome, command } = record
  const { home, service, user } = options
  const left: string[] = []
  const isHere = root === '/'
  const account = user === 'root' ? undefined : await accountOf(user)
  if (isHere) await stop(record, say)
  if (purge && isHere && existsSync(homeAt(home).database)) {
    say('Removing all instances with their data')
    const as = (args: readonly string[], what: string) =>
      run([...command, ...args, '--home', home], what, { account, environment: { HOME: home } })
    const { stdout } = await as(['list', '--json'], 'Listing the instances')
    for (const { name, protected: isProtected } of instancesIn(stdout)) {
      if (isProtected === 'yes') await as(['unprotect', name], `Unprotecting ${name}`)
      await as(['delete', name, '--purge', '--force', 'yes', '--yes'], `Removing ${name}`)
    }
    await as(['purge', '--all', '--yes'], 'Emptying the trash')
  }
  say('Removing the files of setup')
  for (const [path, recorded] of Object.entries(pieces).toReversed()) {
    const kept = removePiece(path, recorded, root)
    if (kept !== undefined) left.push(`${path} was changed manually, and is kept as ${kept}.`)
  }
  removeFolders(madeFolders)
  if (isHere) {
    if (hasSystemd()) {
      await run(['systemctl', 'daemon-reload'], 'Loading the units')
      await tryRun(['systemctl', 'reset-failed', `${service}.service`])
    }
    const proxy = proxyPrograms.find(({ type }) => type === record.proxy)
    if (proxy && existsSync(proxy.program)) left.push(...(await reloadProxy(proxy, say)))
  }
  if (purge) {
    say(`Removing ${home}`)
    const folder = join(root, home)
    if (madeHome) removeTreeSync(folder, { isShared: true })
    else for (const name of readdirSync(folder)) removeTreeSync(join(folder, name), { isShared: true })
    if (madeAccount && isHere && account) await run(['userdel', user], `Removing the account ${user}`)
  } else {
    left.push(
      `${home} and its instances were not changed, and started instances are still running. To delete them all: ` +
        `manager setup --remove --purge ${home}`,
      ...(madeAccount ? [`The account ${user}, which owns them, still exists.`] : []),
    )
    // So that the rest can be removed later.
    if (madeAccount || madeHome) {
      writeRecord(root, { ...record, pieces: {}, madeFolders: [] })
      return left
    }
  }
  removeRecord(root, service)
  return left
}

/** The server and the timers. Instances are not theirs. */
async function stop({ options, command, pieces }: SetupRecord, say: Say): Promise<void> {
  const { home, service, user, supervisor } = options
  say('Stopping the server')
  if (supervisor === 'cron') {
    // It would be started again otherwise.
    rmSync(`/etc/cron.d/${service}`, { force: true })
    await removeCron(home, { user }).catch(() => false)
    await endServer([...command, 'serve', '--home', home])
    return
  }
  const units = Object.keys(pieces).flatMap(
    (path) => /^\/etc\/systemd\/system\/(.+\.(?:service|timer|socket))$/.exec(path)?.[1] ?? [],
  )
  const now = hasSystemd() ? ['--now'] : []
  for (const unit of units.toSorted().toReversed())
    await tryRun([
      'systemctl',
      'disable',
      // The socket goes before the server, which it would start again.
      ...(unit === `${service}.service` || !unit.endsWith('.service') ? now : []),
      unit,
    ])
}

/** One that no systemd looks after. */
async function endServer(command: readonly string[]): Promise<void> {
  const line = `${command.join('\0')}\0`
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name) === line)
  for (const pid of pids) process.kill(Number(pid), 'SIGTERM')
  const until = Date.now() + 30_000
  while (pids.some((pid) => commandLineOf(pid) === line) && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function instancesIn(json: string): readonly { readonly name: string; readonly protected: 'yes' | 'no' }[] {
  const { list } = JSON.parse(json) as { list: { name: string; protected: 'yes' | 'no' }[] }
  return list
}
