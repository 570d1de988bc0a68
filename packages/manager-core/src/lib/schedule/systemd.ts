import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ManagerError } from '../../errors.js'
import { jobNames, type FoundJob } from './jobs.js'
import { commandIn, unitPrefix, type Unit } from './systemd-units.js'

export interface SystemdOptions {
  /** Where unit files are. */
  readonly folder: string
  /** Units of the system, not of a user. */
  readonly system: boolean
  /** False: files are written, and systemd is not called. */
  readonly active: boolean
  /** Over the environment of this process, `PATH` above all. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Whether systemd runs this machine, not only is installed. */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}

/** Where unit files belong: of the system for root, else of the user. */
export function unitFolder(system: boolean, environment: Readonly<Record<string, string | undefined>>): string {
  if (system) return '/etc/systemd/system'
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'), 'systemd/user')
}

/** Puts the units of a home in the place of those that are there. @returns whether anything changed. */
export async function installUnits(home: string, units: readonly Unit[], options: SystemdOptions): Promise<boolean> {
  const { folder } = options
  const before = await textsOf(home, folder)
  const isSame = units.length === before.size && units.every(({ name, text }) => before.get(name) === text)
  if (!isSame) {
    const wanted = new Set(units.map(({ name }) => name))
    await disable(
      [...before.keys()].filter((name) => !wanted.has(name)),
      options,
    )
    await mkdir(folder, { recursive: true })
    for (const { name, text } of units) await writeFile(join(folder, name), text, { mode: 0o644 })
    await systemctl(['daemon-reload'], options)
  }
  for (const { name, enabled } of units)
    if (enabled) await systemctl(['enable', ...(name.endsWith('.timer') ? ['--now'] : []), name], options)
  return !isSame
}

/** @returns whether there were any. */
export async function removeUnits(home: string, options: SystemdOptions): Promise<boolean> {
  const names = [...(await textsOf(home, options.folder)).keys()]
  if (names.length === 0) return false
  await disable(names, options)
  await systemctl(['daemon-reload'], options)
  return true
}

/** The jobs of a home that there are units of. */
export async function unitJobs(home: string, folder: string): Promise<readonly FoundJob[]> {
  const texts = await textsOf(home, folder)
  return jobNames.flatMap((name) => {
    const service = texts.get(`${unitPrefix(home)}${name}.service`)
    const timer = texts.get(`${unitPrefix(home)}${name}.timer`)
    if (service === undefined) return []
    const program = commandIn(service)
    return [
      {
        name,
        program: program.slice(0, program.indexOf(name)),
        time: /^OnCalendar=\S+ (\d\d:\d\d)/m.exec(timer ?? '')?.[1] ?? 'boot',
      },
    ]
  })
}

async function textsOf(home: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const own = names.filter((name) => name.startsWith(unitPrefix(home)) && /\.(service|timer)$/.test(name)).toSorted()
  return new Map(
    await Promise.all(own.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
}

async function disable(names: readonly string[], options: SystemdOptions): Promise<void> {
  // Timers first: their services are not running because of them any more.
  for (const name of names.toSorted().toReversed()) {
    const isTimer = name.endsWith('.timer')
    await systemctl(['disable', ...(isTimer ? ['--now'] : []), name], options, { mayFail: true })
    await rm(join(options.folder, name), { force: true })
  }
}

async function systemctl(
  args: readonly string[],
  { system, active, environment }: SystemdOptions,
  { mayFail = false }: { readonly mayFail?: boolean } = {},
): Promise<void> {
  if (!active) return
  const { execa } = await import('execa')
  const all = [...(system ? [] : ['--user']), ...args]
  const { failed, stderr, shortMessage } = await execa('systemctl', all, {
    env: { ...environment },
    stdin: 'ignore',
    reject: false,
    timeout: 60_000,
  })
  if (failed && !mayFail)
    throw new ManagerError('ERR_FAILED', `systemctl ${all.join(' ')} failed: ${stderr.trim() || shortMessage}.`)
}
