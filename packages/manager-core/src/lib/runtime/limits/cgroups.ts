import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Limits } from '../../domain/limits.js'
import type { LimitName } from './limits.js'

/** Which controller of cgroup v2 limits what. Open files have none. */
const controllers = { memory: 'memory', cpu: 'cpu', processes: 'pids' } as const
type Counted = keyof typeof controllers

/** The cgroup of all instances, of all homes; each instance has one in it. */
const groupName = 'steward'

/** How long the remains of killed processes may keep their cgroup, in ms. */
const emptyMs = 10_000

/** A cgroup in which this user may make others, and what these may limit; or why there is none, as a part of a sentence. */
export type CgroupBase = UsableBase | { readonly problem: string }

export interface UsableBase {
  readonly folder: string
  readonly limits: ReadonlySet<Counted>
}

/**
 * Where cgroups (version 2) of instances can be made: root makes them at the top, others in what was delegated to them,
 * such as the unit of systemd that they are in. Nothing is made or changed.
 */
export function cgroupBase(): CgroupBase {
  const mount = cgroupMount()
  if (mount === undefined) return { problem: 'this machine has no cgroup v2' }
  const own = join(mount, /^0::(.*)$/m.exec(readText('/proc/self/cgroup'))?.[1] ?? '/')
  const folder = upwards(own, mount).findLast(isWritable)
  if (folder === undefined) return { problem: `no cgroup was delegated to this user (${own} cannot be written)` }
  const there = new Set(readText(join(folder, 'cgroup.controllers')).split(/\s+/))
  const limits = (Object.keys(controllers) as Counted[]).filter((name) => there.has(controllers[name]))
  if (limits.length === 0) return { problem: `${folder} has no controllers of cgroup v2 for memory, CPU or processes` }
  return { folder, limits: new Set(limits) }
}

/**
 * Makes the cgroup of an instance with these limits, and puts a process into it, whose children will be in it, too. What
 * was left of one before is removed, and its counters with it.
 *
 * @param run the instance's folder `run/`
 * @returns its folder, and what it really limits
 */
export async function makeCgroup(
  base: UsableBase,
  { run, limits, pid }: { readonly run: string; readonly limits: Limits; readonly pid: number },
): Promise<{ readonly folder: string; readonly limits: ReadonlySet<LimitName> }> {
  const group = join(base.folder, groupName)
  const folder = join(group, nameOf(run))
  makeRoom(base.folder)
  mkdirSync(group, { recursive: true })
  const usable = [...base.limits].filter((name) => {
    const turnOn = `+${controllers[name]}`
    return (
      attempt(join(base.folder, 'cgroup.subtree_control'), turnOn) &&
      attempt(join(group, 'cgroup.subtree_control'), turnOn)
    )
  })
  await removeCgroup(folder)
  mkdirSync(folder)
  const { memory = 0, cpu = 0, processes = 0 } = limits
  const texts: Readonly<Record<Counted, readonly [file: string, text: string]>> = {
    memory: ['memory.max', String(memory * 2 ** 20)],
    cpu: ['cpu.max', `${cpu * 1000} 100000`],
    processes: ['pids.max', String(processes)],
  }
  const held = usable.filter((name) => {
    const [file, text] = texts[name]
    return (limits[name] ?? 0) > 0 && attempt(join(folder, file), text)
  })
  // Else what is over the limit would be in the swap; not there: the kernel has none.
  if (held.includes('memory')) attempt(join(folder, 'memory.swap.max'), '0')
  try {
    writeFileSync(join(folder, 'cgroup.procs'), String(pid))
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return { folder, limits: new Set(held) }
}

/** Ends what is in it and removes it; nothing to do when it is not there. */
export async function removeCgroup(folder: string): Promise<void> {
  const begin = performance.now()
  for (let pause = 1; existsSync(folder); pause = Math.min(pause * 2, 100)) {
    // No process can be born any more; kernels before 5.14 have no cgroup.kill.
    attempt(join(folder, 'pids.max'), '0')
    if (!attempt(join(folder, 'cgroup.kill'), '1')) for (const pid of pidsIn(folder)) kill(pid)
    for (const child of foldersIn(folder)) remove(child)
    if (remove(folder) || performance.now() - begin > emptyMs) return
    await sleep(pause)
  }
}

/** Whether a path, which is not trusted, is the one of an instance's cgroup. */
export function isCgroupOf(run: string, path: string): boolean {
  const mount = cgroupMount()
  const isOfName = basename(path) === nameOf(run) && basename(dirname(path)) === groupName
  return mount !== undefined && isOfName && normalize(path) === path && path.startsWith(`${mount}/`)
}

/** All processes that are in it. */
export function pidsIn(folder: string): readonly number[] {
  return readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

/** How often a limit was reached; undefined: it is not counted. */
export function reachedIn(folder: string, name: LimitName): number | undefined {
  const [file, counter] =
    {
      memory: ['memory.events', 'oom_kill'] as const,
      cpu: ['cpu.stat', 'nr_throttled'] as const,
      processes: ['pids.events', 'max'] as const,
      files: undefined,
      heap: undefined,
    }[name] ?? []
  if (file === undefined) return undefined
  const found = new RegExp(`^${counter} (\\d+)$`, 'm').exec(readText(join(folder, file)))?.[1]
  return found === undefined ? undefined : Number(found)
}

/** The file in which the kernel counts whom it ended for memory, as its supervisor reads it. */
export function endsForMemory(folder: string): string {
  return join(folder, 'memory.events')
}

/** The folder says which home, the copy, and is never too long for a name. */
function nameOf(run: string): string {
  return createHash('sha256').update(run).digest('hex').slice(0, 24)
}

/** A cgroup with processes of its own, except the top one, gives no controllers to others: they move one down. */
function makeRoom(folder: string): void {
  if (!existsSync(join(folder, 'cgroup.type')) || pidsIn(folder).length === 0) return
  const manager = join(folder, 'manager')
  mkdirSync(manager, { recursive: true })
  for (const pid of pidsIn(folder)) attempt(join(manager, 'cgroup.procs'), String(pid))
}

/** Where the cgroups of version 2 are; undefined: there are none. */
export function cgroupMount(): string | undefined {
  const found = readText('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2' && fields[3] === '/')
  return found?.[4]
}

/** From a folder up to another. */
function upwards(from: string, to: string): readonly string[] {
  return from === to || !from.startsWith(to) ? [to] : [from, ...upwards(dirname(from), to)]
}

function isWritable(folder: string): boolean {
  try {
    for (const file of ['.', 'cgroup.procs', 'cgroup.subtree_control']) accessSync(join(folder, file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

function attempt(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' })
    return true
  } catch {
    return false
  }
}

function remove(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Cgroups that the instance itself made. */
function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => [...foldersIn(join(folder, name)), join(folder, name)])
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
