import { addCpu, cpuOfTree, noCpu, type CpuSeconds } from './processes.js'

/** What the servers of one kind took, e.g. all `sshd` of a test file. */
export interface ServerTimes {
  readonly starts: number
  /** Seconds that they ran. */
  readonly wall: number
  readonly cpu: CpuSeconds
}

interface Running {
  readonly name: string
  readonly startedAt: number
}

interface Book {
  readonly ended: Map<string, ServerTimes>
  /** By process id. */
  readonly running: Map<number, Running>
}

const nothing: ServerTimes = { starts: 0, wall: 0, cpu: noCpu }

/** One for this process: the reporter and the set-up are loaded apart from each other. */
const key = Symbol.for('steward.tests.servers')
const holder = globalThis as { [key]?: Book }
const book: Book = (holder[key] ??= { ended: new Map(), running: new Map() })

export function serverHasStarted(name: string, pid: number): void {
  book.running.set(pid, { name, startedAt: performance.now() })
}

/** To be called while it runs still: what has ended cannot be measured. */
export function serverIsEnding(pid: number): void {
  const running = book.running.get(pid)
  if (!running) return
  book.running.delete(pid)
  book.ended.set(running.name, plus(book.ended.get(running.name), running, pid))
}

/** For all servers of this process since the last call, running ones included; the count starts again. By their kind. */
export function takeServerTimes(): Readonly<Record<string, ServerTimes>> {
  const times = new Map(book.ended)
  for (const [pid, running] of book.running) times.set(running.name, plus(times.get(running.name), running, pid))
  book.ended.clear()
  return Object.fromEntries(times)
}

export function addServerTimes(a: ServerTimes = nothing, b: ServerTimes = nothing): ServerTimes {
  return { starts: a.starts + b.starts, wall: a.wall + b.wall, cpu: addCpu(a.cpu, b.cpu) }
}

function plus(before: ServerTimes | undefined, { startedAt }: Running, pid: number): ServerTimes {
  return addServerTimes(before, { starts: 1, wall: (performance.now() - startedAt) / 1000, cpu: cpuOfTree(pid) })
}
