import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asUser } from './as-user.js'
import { accepts } from './ports.js'
import { serverEnvironment } from './programs.js'
import { serverHasStarted, serverIsEnding } from './times.js'

const startTimeoutMs = 60_000

export interface SpawnOptions {
  /** Standard input and output are pipes. Default: there is no input, and output goes to the log. */
  readonly pipes?: boolean
  /** What ends it when this process is ended. Default: SIGKILL. */
  readonly deathSignal?: NodeJS.Signals
}

/** One of the programs of a server has ended; the message has what they said last. */
export class ProgramEnded extends Error {}

/** Programs of one server that run in its folder until they are ended, or this process is. */
export class Background {
  readonly #user: string
  readonly #folder: string
  readonly #children = new Map<string, ChildProcess>()

  /** @param user the system user who runs them when we are root */
  constructor(user: string, folder: string) {
    this.#user = user
    this.#folder = folder
  }

  /** What it says goes to `<name>.log`. One of this name that has ended is forgotten. */
  spawn(name: string, command: string[], { pipes = false, deathSignal }: SpawnOptions = {}): ChildProcess {
    const [program = '', ...args] = asUser(this.#user, command, deathSignal)
    const log = openSync(join(this.#folder, `${name}.log`), 'w')
    const child = spawn(program, args, {
      stdio: pipes ? ['pipe', 'pipe', log] : ['ignore', log, log],
      env: serverEnvironment({ HOME: this.#folder }),
      cwd: this.#folder,
    })
    closeSync(log)
    // It never gets a process id then.
    child.once('error', () => {})
    child.stdin?.on('error', () => {})
    child.unref()
    if (child.pid !== undefined) serverHasStarted(this.#kind, child.pid)
    this.#children.set(name, child)
    return child
  }

  /** Process ids of those that run, by name. */
  get pids(): ReadonlyMap<string, number> {
    return new Map([...this.#children].flatMap(([name, child]) => (isRunning(child) ? [[name, child.pid]] : [])))
  }

  /** Resolves when the server accepts connections. @throws ProgramEnded */
  listens(port: number): Promise<void> {
    return this.isReady(() => accepts(port))
  }

  /**
   * Resolves when a look at the server says so, and all programs run still: another server may have answered.
   *
   * @throws ProgramEnded when one of them has ended; Error after a minute
   */
  async isReady(look: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!(await this.whileRunning(look()))) {
      if (Date.now() > deadline) throw new Error(this.#tell('A server did not start'))
      await sleep(20)
    }
    await this.whileRunning(Promise.resolve())
  }

  /** Waits for something that needs the programs. @throws ProgramEnded when one of them ends before or meanwhile */
  async whileRunning<Result>(work: Promise<Result>): Promise<Result> {
    const ended = Promise.withResolvers<never>()
    const fail = () => ended.reject(new ProgramEnded(this.#tell('A program of a server has ended')))
    const children = [...this.#children.values()]
    for (const child of children) {
      if (isRunning(child)) child.once('exit', fail)
      else fail()
    }
    try {
      return await Promise.race([ended.promise, work])
    } finally {
      for (const child of children) child.off('exit', fail)
    }
  }

  /** Ends all and waits for their ends. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const running = [...this.#children.values()].filter(isRunning)
    const ended = Promise.all(running.map((child) => once(child, 'exit')))
    for (const child of running) {
      serverIsEnding(child.pid)
      child.ref()
      child.kill(signal)
    }
    await ended
    this.#children.clear()
  }

  /** `stop()`, and removes the folder. */
  async close(): Promise<void> {
    await this.stop()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The label of its times: what the folder is for. */
  get #kind(): string {
    return /-([a-z]+)-[^-]*$/.exec(basename(this.#folder))?.[1] ?? basename(this.#folder)
  }

  /** With what the programs said last. */
  #tell(what: string): string {
    const tails = [...this.#children.keys()].map((name) => {
      const lines = readFileSync(join(this.#folder, `${name}.log`), 'utf8')
        .trimEnd()
        .split('\n')
      return `${name}: ${lines.slice(-15).join('\n')}`
    })
    return `${what}:\n${tails.join('\n')}`
  }
}

/** Starts a server; closes it when that fails. */
export async function started<Server extends { close(): Promise<void> }>(
  server: Server,
  start: (server: Server) => Promise<void>,
): Promise<Server> {
  try {
    await start(server)
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

function isRunning(child: ChildProcess): child is ChildProcess & { pid: number } {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}
