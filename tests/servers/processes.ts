import { readdirSync, readFileSync } from 'node:fs'

/** Kills all processes that this one has started, and those that they have. @returns how many; Linux only. */
export function killDescendants(pid: number): number {
  const found = processTree(pid).slice(1)
  for (const each of found) {
    try {
      process.kill(each.pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  return found.length
}

/** CPU seconds of a process. */
export interface CpuSeconds {
  readonly user: number
  readonly system: number
}

export const noCpu: CpuSeconds = { user: 0, system: 0 }

export function addCpu(...times: readonly CpuSeconds[]): CpuSeconds {
  const user = times.reduce((sum, each) => sum + each.user, 0)
  return { user, system: times.reduce((sum, each) => sum + each.system, 0) }
}

export function subtractCpu(from: CpuSeconds, what: CpuSeconds): CpuSeconds {
  return { user: from.user - what.user, system: from.system - what.system }
}

/** What a process has used, with ended children that were waited for. Linux only; 0 elsewhere. */
export function cpuOf(pid: number): CpuSeconds {
  return statOf(pid)?.cpu ?? noCpu
}

/** What a process and all that it has started have used. Linux only; 0 elsewhere. */
export function cpuOfTree(pid: number): CpuSeconds {
  if (process.platform !== 'linux') return noCpu
  return addCpu(...processTree(pid).map(({ cpu }) => cpu))
}

interface Stat {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly cpu: CpuSeconds
}

/** The process first, and all that it has started. */
export function processTree(pid: number): Stat[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []))
  const found = all.filter((each) => each.pid === pid)
  for (const { pid: parent } of found) found.push(...all.filter((each) => each.parent === parent))
  return found
}

/** Clock ticks a second, the same on all Linux systems that Node knows. */
const ticks = 100

function statOf(pid: number): Stat | undefined {
  try {
    // The name of the program, in parentheses, may have any characters.
    const [, name = '', rest = ''] = /\((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ').map(Number)
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15)
    const cpu = { user: (user + childrenUser) / ticks, system: (system + childrenSystem) / ticks }
    return { pid, parent: fields[1] ?? 0, name, cpu }
  } catch {
    return undefined
  }
}
