import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { hasCommand, tryToInstall } from './test-servers.ts'

/** The server under test has a core of its own; the load and the database share the other one. */
export const serverCore = 0
export const loadCore = 1

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Makes sure that measuring is possible here. Throws an Error that says what is missing. */
export async function requireMachine(): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('The bench needs Linux: it reads /proc and pins processes to cores.')
  if (availableParallelism() < 2)
    throw new Error('The bench needs two cores: one for the server, one for load and database.')
  await requireProgram(() => hasCommand('taskset'), 'util-linux')
  await requireProgram(() => hasCommand('wrk'), 'wrk')
}

/** Installs a Debian package when what it holds is not found. Throws an Error that says what to install by hand. */
export async function requireProgram(find: () => unknown, debianPackage: string): Promise<void> {
  if (find()) return
  const reason = await tryToInstall([debianPackage])
  if (reason !== undefined)
    throw new Error(`The bench needs the Debian package ${debianPackage}, or the same programs; ${reason}.`)
}

export function describeMachine(): string {
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, Linux, Node ${process.versions.node}`
}

/** Pins a process, its threads and its children to a core. */
export function pin(pid: number, core: number): void {
  for (const each of family(pid)) execFileSync('taskset', ['-acp', String(core), String(each)], { stdio: 'ignore' })
}

/** CPU seconds that a process and its ended children have used. */
export function cpuSeconds(pid: number): number {
  const [utime, stime, cutime, cstime] = statFields(pid).slice(11, 15).map(Number)
  return utime === undefined ? 0 : (utime + stime! + cutime! + cstime!) / ticksPerSecond
}

/** The same of a process and of all its children. */
export function familySeconds(pid: number): number {
  return family(pid).reduce((sum, each) => sum + cpuSeconds(each), 0)
}

/** CPU seconds that the whole machine has used, with what a hypervisor took away. */
export function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user! + nice! + system! + irq! + softirq! + steal!) / ticksPerSecond
}

export interface Memory {
  readonly nowMiB: number
  /** Highest since the start of the process. */
  readonly mostMiB: number
}

/** Resident memory of a process. */
export function memory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { nowMiB: mib('VmRSS'), mostMiB: mib('VmHWM') }
}

function family(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry)) parents.set(Number(entry), Number(statFields(Number(entry))[1]))
  }
  const found = [pid]
  for (const each of found) {
    for (const [child, parent] of parents) if (parent === each) found.push(child)
  }
  return found
}

/** Fields of /proc/<pid>/stat after the name; none when the process is gone. */
function statFields(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
