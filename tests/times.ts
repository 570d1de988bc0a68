import { readFileSync } from 'node:fs'
import type { TestModule } from 'vitest/node'
import { cpuOfTree, noCpu, subtractCpu, type CpuSeconds } from './servers/processes.js'
import { addServerTimes, takeServerTimes, type ServerTimes } from './servers/times.js'

/** What a run of tests took, in seconds. */
export interface RunTimes {
  readonly wall: number
  /** All processes that run or were waited for. */
  readonly cpu: CpuSeconds
  /** What the machine did meanwhile: on a quiet one, processes that were not waited for are in it, too. */
  readonly machine: CpuSeconds
  /** The runner itself: transforms of sources, reports. */
  readonly runner: CpuSeconds
  readonly files: readonly FileTimes[]
  /** For all files, and for the whole run. */
  readonly servers: Readonly<Record<string, ServerTimes>>
}

export interface FileTimes {
  readonly file: string
  readonly project: string
  readonly wall: number
  /** Servers that it started and programs that it ran included. */
  readonly cpu: CpuSeconds
  /** Parts of `wall`: start of the process, set-up, import, tests and hooks. */
  readonly parts: { readonly start: number; readonly setup: number; readonly import: number; readonly tests: number }
  readonly servers: Readonly<Record<string, ServerTimes>>
  /** From half a second on, the longest first. */
  readonly longTests: readonly { readonly name: string; readonly wall: number }[]
}

/** The state at the start of a run. */
export interface Measurement {
  readonly at: number
  readonly all: CpuSeconds
  readonly machine: CpuSeconds
}

export function startMeasuring(): Measurement {
  return { at: performance.now(), all: cpuOfTree(process.pid), machine: machineCpu() }
}

/** Servers of the whole run are running still. */
export function timesOf(modules: readonly TestModule[], before: Measurement): RunTimes {
  const files = modules.map(timesOfFile).toSorted((a, b) => b.wall - a.wall)
  const servers: Record<string, ServerTimes> = { ...takeServerTimes() }
  for (const [name, times] of files.flatMap((file) => Object.entries(file.servers)))
    servers[name] = addServerTimes(servers[name], times)
  return {
    wall: (performance.now() - before.at) / 1000,
    cpu: subtractCpu(cpuOfTree(process.pid), before.all),
    machine: subtractCpu(machineCpu(), before.machine),
    runner: ownCpu(),
    files,
    servers,
  }
}

function timesOfFile(module: TestModule): FileTimes {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic()
  const parts = {
    start: (prepareDuration + environmentSetupDuration) / 1000,
    setup: setupDuration / 1000,
    import: collectDuration / 1000,
    tests: duration / 1000,
  }
  const { cpu = noCpu, servers = {} } = module.meta()
  const tests = [...module.children.allTests()].map((test) => ({
    name: test.fullName,
    wall: (test.diagnostic()?.duration ?? 0) / 1000,
  }))
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    wall: parts.start + parts.setup + parts.import + parts.tests,
    cpu,
    parts,
    servers,
    longTests: tests.filter(({ wall }) => wall >= 0.5).toSorted((a, b) => b.wall - a.wall),
  }
}

const longFiles = 15

/** For people: the longest files, all servers, the sums. */
export function tableOf({ wall, cpu, machine, runner, files, servers }: RunTimes): string {
  const byCpu = Object.entries(servers).toSorted(([, a], [, b]) => sum(b.cpu) - sum(a.cpu))
  const parts = files.map((file) => file.parts)
  const total = (of: (part: FileTimes['parts']) => number) => seconds(parts.reduce((all, part) => all + of(part), 0))
  return [
    '',
    `   Wall     CPU  The ${Math.min(longFiles, files.length)} longest of ${files.length} files, in seconds`,
    ...files.slice(0, longFiles).map((file) => line(file.wall, file.cpu, file.file)),
    '',
    '   Wall     CPU  Servers',
    ...byCpu.map(([name, times]) => line(times.wall, times.cpu, `${name} (${times.starts})`)),
    '',
    line(
      wall,
      cpu,
      `in total: user ${seconds(cpu.user)}, system ${seconds(cpu.system)}; the machine ${seconds(sum(machine))}`,
    ),
    line(wall, runner, 'the runner'),
    `Files: start ${total((part) => part.start)}, set-up ${total((part) => part.setup)}, import ${total((part) => part.import)}, tests ${total((part) => part.tests)}`,
    '',
  ].join('\n')
}

function line(wall: number, cpu: CpuSeconds, text: string): string {
  return `${seconds(wall).padStart(7)} ${seconds(sum(cpu)).padStart(7)}  ${text}`
}

function seconds(value: number): string {
  return value.toFixed(1)
}

function sum({ user, system }: CpuSeconds): number {
  return user + system
}

function ownCpu(): CpuSeconds {
  const { user, system } = process.cpuUsage()
  return { user: user / 1e6, system: system / 1e6 }
}

/** All processors together, since the start of the machine. Linux only; 0 elsewhere. */
function machineCpu(): CpuSeconds {
  if (process.platform !== 'linux') return noCpu
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields.map(Number)
  return { user: (user + nice) / 100, system: (system + irq + softirq) / 100 }
}
