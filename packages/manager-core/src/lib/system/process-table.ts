import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  readonly command: string
  /** Megabytes resident. */
  readonly memoryMb: number
  /** Seconds of CPU used. */
  readonly cpuSeconds: number
  readonly started: string
}

/** What `/proc/<pid>/stat` says about a process that has not ended. */
export interface ProcessStat {
  readonly pid: number
  /** `R`, `S`, `D`, `T` (stopped by a signal), `Z` (its first thread has ended, others have not) … */
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since the boot, see `ProcessIdentity`. */
  readonly start: string
  readonly cpuSeconds: number
}

/** Clock ticks of `/proc`, the same on all of Linux. */
const ticksPerSecond = 100

/** @returns undefined when there is no such process, or only its remains. */
export function statOf(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(pid, text)
}

/** @param text `/proc/<pid>/stat`. The name in it, in parentheses, may hold spaces and parentheses itself. */
export function parseStat(pid: number, text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group, session] = fields
  // As long as it has other threads, its files and ports are open.
  const threads = Number(fields[17])
  if (state === 'X' || (state === 'Z' && threads <= 1)) return undefined
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: fields[19] ?? '',
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
  }
}

/** States of the threads of a process, see `ProcessStat`; none when it has ended. */
export function threadStates(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const text = readText(`/proc/${pid}/task/${thread}/stat`)
      const state = text === undefined ? undefined : parseStat(Number(thread), text)?.state
      return state === undefined || state === 'Z' ? [] : state
    })
  } catch {
    return []
  }
}

/** User id that a process runs with; undefined: it has ended. */
export function uidOf(pid: number): number | undefined {
  const uid = /^Uid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]
  return uid === undefined ? undefined : Number(uid)
}

/** Pids of all processes. */
export function listPids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/**
 * Whether it, or an ancestor, is in a container: in another pid namespace, but in the user namespace of this process. Only
 * root can put a process there; others have to leave their user namespace for one.
 */
export function isInContainer(pid: number): boolean {
  const differs = (kind: 'pid' | 'user') => namespaceOf(pid, kind) !== namespaceOf('self', kind)
  if (namespaceOf(pid, 'pid') !== undefined && differs('pid') && !differs('user')) return true
  const parent = statOf(pid)?.parent ?? 0
  return parent > 1 && isInContainer(parent)
}

function namespaceOf(pid: number | 'self', kind: 'pid' | 'user'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`)
  } catch {
    return undefined
  }
}

/** Processes of a session, those that have ended left out. */
export function processesOfSession(session: number): readonly ProcessStat[] {
  return listPids()
    .map(statOf)
    .filter((stat) => stat !== undefined)
    .filter((stat) => stat.session === session)
}

/** Whether a variable of the environment that it was started with has this value. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  return variableOf(pid, name) === value
}

/** A variable of the environment that it was started with; undefined too when it may not be read. */
export function variableOf(pid: number, name: string): string | undefined {
  const entry = readText(`/proc/${pid}/environ`)
    ?.split('\0')
    .find((each) => each.startsWith(`${name}=`))
  return entry?.slice(name.length + 1)
}

export function describeProcess(stat: ProcessStat): ProcessInfo {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${stat.pid}/status`) ?? '')?.[1] ?? '0'
  return {
    pid: stat.pid,
    parent: stat.parent,
    command: readText(`/proc/${stat.pid}/cmdline`)?.split('\0').join(' ').trim() ?? '',
    memoryMb: Math.round(Number(kilobytes) / 102.4) / 10,
    cpuSeconds: stat.cpuSeconds,
    started: startedAt(stat.start),
  }
}

/** ISO 8601 of a start in clock ticks, by the clock as it is now. */
export function startedAt(start: string): string {
  const boot = /^btime (\d+)/m.exec(readText('/proc/stat') ?? '')?.[1] ?? '0'
  return new Date((Number(boot) + Number(start) / ticksPerSecond) * 1000).toISOString()
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
