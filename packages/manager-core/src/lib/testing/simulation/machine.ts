import { AsyncLocalStorage } from 'node:async_hooks'
import { createRandom, type Random } from './random.js'

/** What a killed process meets at everything that it still wants to do. */
export class Killed extends Error {
  constructor() {
    super('This process was killed.')
  }
}

/** A process of a manager. All run in this one, and each thing that one does is done in its name. */
export interface SimulatedProcess {
  readonly pid: number
  /** How many effects it has had. */
  effects: number
  /** It dies right after this effect; a write that is the last one is done by half. */
  killAt: number | undefined
  isDead: boolean
  /** What the kernel takes from it then: open files and databases. */
  readonly held: Set<() => void>
  readonly died: PromiseWithResolvers<void>
}

interface Waiting {
  readonly process: SimulatedProcess | undefined
  readonly at: number
  readonly go: () => void
}

/** How a server does its work: `failing` now and then refuses, `slow` takes seconds for each call. */
export type Condition = 'well' | 'slow' | 'failing' | 'down'

/** A database of the simulated server: rows by table, as text. */
export type Tables = Record<string, string[]>

/** Which address leads where, as a reverse proxy was configured. */
export interface Configuration {
  /** Name of its generation. */
  readonly id: string
  /** By host and path. */
  readonly routes: ReadonlyMap<string, Route>
}

export interface Route {
  /** Absent: the proxy answers itself. */
  readonly port?: number | undefined
  /** Id of the instance; absent: the manager. */
  readonly instance?: string | undefined
  /** Whether requests pass the waker. */
  readonly wakes: boolean
}

/** The reverse proxy of the machine. */
export interface SimulatedProxy {
  /** `down`: it does not run. */
  condition: Condition
  /** The one that it read last. */
  configuration: Configuration
  /** Folder that it reads its configuration from. */
  folder: string
  worker: number
  /** Workers of former configurations, with the time when they end. */
  readonly retiring: Map<number, number>
  /** When it reads its configuration; undefined: it has. */
  loadsAt: number | undefined
}

/** What outlives every process of a manager. The home itself lies in real files, in memory. */
export interface MachineState {
  /** ms since the Unix epoch */
  now: number
  /** Written files find no room, but for what the reserve gave. */
  isDiskFull: boolean
  /** Writes for which there is room on a full disk. */
  room: number
  databases: Map<string, { user: string; tables: Tables }>
  users: Map<string, string>
  databaseServer: Condition
  /** Objects by key. */
  store: Map<string, { bytes: Buffer; modified: number }>
  target: Condition
  /** Copies of instances by `<id>/<copy>`. */
  instances: Map<string, SimulatedInstance>
  /** Which copy serves, by id; not there: a. */
  serving: Map<string, 'a' | 'b'>
  /** Instances have accounts of their own. */
  readonly isolates: boolean
  /** User ids of system accounts by their names. */
  accounts: Map<string, number>
  /** How the programs work that make and remove accounts. */
  accountTools: Condition
  /** The reverse proxy publishes instances, which may sleep. */
  readonly publishes: boolean
  proxy: SimulatedProxy
  /** Where programs listen that are no instances. */
  takenPorts: Set<number>
  /** Whether there are copies of the registry. */
  keepsCopies: boolean
  /** How many backups of an instance are kept. */
  keepLast: number
  nextPid: number
  random: number
}

export interface SimulatedInstance {
  folder: string
  port: number
  app: string
  environment: Readonly<Record<string, string>>
  state: 'started' | 'stopped' | 'crashed'
  since: string
  isSuspended: boolean
  readonly pid: number
  /** Whose process it is. */
  readonly uid: number
}

/** A program waits for what never comes. */
export class StandStill extends Error {}

/** Rounds in which nothing happens: the later ones take a ms each. */
const mostIdle = 6000

const running = new AsyncLocalStorage<SimulatedProcess>()

let state: MachineState
let random: Random
let waiting: Waiting[] = []
let processes = new Map<number, SimulatedProcess>()
/** Who holds the lock of a file. They go with their processes. */
const locks = new Map<string, object>()
/** Passwords that were ever given to a database server. */
export const secrets = new Set<string>()
/** Called for each effect: equal histories give equal effects. */
export const trace: { tell?: ((line: string) => void) | undefined } = {}

export const machine = {
  get state() {
    return state
  },
  locks,
  get random() {
    return random
  },
  /** A new machine, or one as it was once. */
  boot(from: MachineState): void {
    state = from
    random = createRandom(
      () => state.random,
      (next) => (state.random = next),
    )
    waiting = []
    processes = new Map()
    locks.clear()
  },
}

/** What there is beside what is always there: six of ten histories are about neither, as both take their time. */
export function partsOf(seed: number) {
  return { isolates: [2, 3, 7].includes(seed % 10), publishes: [2, 6, 7].includes(seed % 10) }
}

export function newMachineState(seed: number): MachineState {
  return {
    now: Date.UTC(2026, 0, 5, 8),
    isDiskFull: false,
    room: 0,
    databases: new Map(),
    users: new Map(),
    databaseServer: 'well',
    store: new Map(),
    target: 'well',
    instances: new Map(),
    serving: new Map(),
    ...partsOf(seed),
    accounts: new Map(),
    accountTools: 'well',
    proxy: {
      condition: 'well',
      configuration: { id: '', routes: new Map() },
      folder: '',
      worker: 999_999_999,
      retiring: new Map(),
      loadsAt: undefined,
    },
    takenPorts: new Set(),
    keepLast: 1 + (seed % 2),
    keepsCopies: seed % 40 === 0,
    nextPid: 1_000_000_000,
    random: seed,
  }
}

/** The process that does something right now; undefined: the simulation itself, which meets no faults. */
export function current(): SimulatedProcess | undefined {
  return running.getStore()
}

export function findProcess(pid: number): SimulatedProcess | undefined {
  return processes.get(pid)
}

/** Looks without an effect; a dead process sees nothing any more. */
export function look<T>(work: () => T): T {
  if (current()?.isDead) throw new Killed()
  return work()
}

/**
 * One effect on the machine. The process dies right after it when it is the one to die at.
 *
 * @param half what is left of it when it dies in its middle
 */
export function act<T>(what: string, work: () => T, half?: () => void): T {
  const process = current()
  if (!process) return work()
  if (process.isDead) throw new Killed()
  process.effects++
  state.now++
  trace.tell?.(`${process.pid} ${process.effects} ${what}`)
  if (process.effects !== process.killAt) return work()
  try {
    if (half && random.chance(0.5)) half()
    else work()
  } catch {
    // The caller does not learn of it.
  }
  kill(process)
  throw new Killed()
}

/** For calls that promise: a dead process never hears of them. */
export async function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
  await pause(0)
  try {
    return await work()
  } catch (error) {
    if (error instanceof Killed) return forever()
    throw error
  }
}

/** What something of the machine does that is in a condition. @param refusal why not, when it fails */
export async function under<T>(condition: Condition, work: () => T | Promise<T>, refusal: () => Error): Promise<T> {
  if (condition === 'slow') await pause(3000)
  const fails = condition === 'down' || (condition === 'failing' && random.chance(0.3))
  return inTurn(() => {
    if (fails) throw refusal()
    return work()
  })
}

export function forever(): Promise<never> {
  return new Promise(() => {})
}

/** Waits that many simulated ms, and until it is its turn. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const process = current()
  if (process?.isDead) return forever()
  if (ms === 0 && processes.size === 1) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const entry: Waiting = { process, at: state.now + ms, go: resolve }
    if (signal?.aborted) return reject(signal.reason as Error)
    signal?.addEventListener('abort', () => {
      waiting = waiting.filter((each) => each !== entry)
      if (!process?.isDead) reject(signal.reason as Error)
    })
    waiting.push(entry)
  })
}

function kill(process: SimulatedProcess): void {
  process.isDead = true
  for (const release of process.held) release()
  waiting = waiting.filter((each) => each.process !== process)
  processes.delete(process.pid)
  process.died.resolve()
}

/** The result of a program: what it returned, or that it was killed. */
export type Ending<T> = { readonly value: T } | { readonly error: unknown } | 'killed'

export interface Program<T> {
  readonly work: () => Promise<T>
  readonly killAt?: number | undefined
}

/** Runs programs in processes of their own, all at the same time: one thing after the other, in an order of the seed's. */
export async function run<T>(programs: readonly Program<T>[]): Promise<readonly Ending<T>[]> {
  let left = programs.length
  const started = programs.map(({ killAt }): SimulatedProcess => {
    const process: SimulatedProcess = {
      pid: state.nextPid++,
      effects: 0,
      killAt,
      isDead: false,
      held: new Set(),
      died: Promise.withResolvers(),
    }
    processes.set(process.pid, process)
    return process
  })
  const endings = programs.map(async ({ work }, index): Promise<Ending<T>> => {
    const process = started[index] as SimulatedProcess
    const done = running.run(process, async (): Promise<Ending<T>> => {
      try {
        await pause(0)
        return { value: await work() }
      } catch (error) {
        return process.isDead ? 'killed' : { error }
      }
    })
    const ending = await Promise.race([done, process.died.promise.then(() => 'killed' as const)])
    // What it still holds goes with it.
    if (!process.isDead) kill(process)
    left--
    return ending
  })
  const isDone = () => left === 0
  for (let idle = 0; !isDone();) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    if (waiting.length === 0) {
      // Node loads a module, most likely.
      if (++idle > mostIdle) throw new StandStill()
      if (idle > 1000)
        await new Promise((resolve) => {
          setTimeout(resolve, 1)
        })
      continue
    }
    idle = 0
    const first = Math.min(...waiting.map(({ at }) => at))
    state.now = Math.max(state.now, first)
    const ready = waiting.filter(({ at }) => at <= state.now)
    const next = ready[random.below(ready.length)] as Waiting
    waiting = waiting.filter((each) => each !== next)
    next.go()
  }
  return Promise.all(endings)
}
