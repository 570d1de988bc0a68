import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, serverEnvironment } from './programs.js'

export interface ServerOptions {
  /** Folder for data, socket and log; prepared when it is empty. A temporary one by default, removed by `close()`. */
  dir?: string
  /** Port on 127.0.0.1. A free one by default; it stays the same over `stop()` and `start()`. */
  port?: number
}

/** A private database server. It dies with the process that started it, whatever ends that process. */
export interface TestServer {
  /** URL of its database `test`, with a user who may create databases. */
  readonly url: string
  readonly port: number
  readonly dir: string
  /** Process id while it runs. */
  readonly pid: number | undefined
  /** Starts it again on the same port and data; resolves when a client can connect. Nothing to do when it runs. */
  start(): Promise<void>
  /** Ends it and keeps the data. By default connections are closed at once; `SIGKILL` imitates a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** `stop()` and `start()`. */
  restart(): Promise<void>
  /** `stop()`, and removes the folder unless the caller chose it. */
  close(): Promise<void>
}

/** What one database product needs to be run by {@link launch}. */
export interface ServerProgram {
  /** The system user who runs it when we are root; servers refuse to run as root. */
  user: string
  dir: string
  removeDir: boolean
  port: number | undefined
  /** Ends it quickly and cleanly, clients or not. */
  stopSignal: 'SIGINT' | 'SIGTERM'
  command(port: number): string[]
  /** Resolves when a client could connect, rejects when not. */
  connect(port: number): Promise<unknown>
  url(port: number): string
}

const startTimeoutMs = 30_000

/** Starts a server whose data are prepared. A port that was taken meanwhile is replaced, unless the caller chose it. */
export async function launch(program: ServerProgram): Promise<TestServer> {
  for (let attempt = 1; ; attempt++) {
    const server = new PrivateServer(program, program.port ?? (await freePort()))
    try {
      await server.start()
      return server
    } catch (error) {
      if (program.port !== undefined || attempt === 3 || !/in use|bind/i.test(String(error))) throw error
    }
  }
}

class PrivateServer implements TestServer {
  readonly port: number
  readonly #program: ServerProgram
  #child: ChildProcess | undefined

  constructor(program: ServerProgram, port: number) {
    this.#program = program
    this.port = port
  }

  get url(): string {
    return this.#program.url(this.port)
  }

  get dir(): string {
    return this.#program.dir
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (!this.#child) {
      try {
        await this.#spawn()
      } catch (error) {
        // After a crash, PostgreSQL's other processes live on for a moment.
        if (!/pre-existing shared memory/.test(String(error)) || Date.now() > deadline) throw error
        await sleep(50)
      }
    }
  }

  async stop(signal: NodeJS.Signals = this.#program.stopSignal): Promise<void> {
    const child = this.#child
    if (!child) return
    const exited = once(child, 'exit')
    child.ref()
    child.kill(signal)
    await exited
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async close(): Promise<void> {
    await this.stop()
    if (this.#program.removeDir) await rm(this.dir, { recursive: true, force: true })
  }

  async #spawn(): Promise<void> {
    const { user, stopSignal } = this.#program
    const [command = '', ...args] = asUser(user, this.#program.command(this.port), stopSignal)
    const log = openSync(join(this.dir, 'server.log'), 'w')
    const child = spawn(command, args, { stdio: ['ignore', log, log], env: serverEnvironment(), cwd: this.dir })
    closeSync(log)
    child.unref()
    const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error))
    failed.catch(() => {})
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    this.#child = child
    await Promise.race([failed, this.#ready()])
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    for (;;) {
      const lastError = await this.#program.connect(this.port).then(
        () => undefined,
        (error: Error) => error,
      )
      // Somebody else may answer on the port: only a child that is still there makes the answer ours.
      if (!this.#child) throw new Error(`The database server ended while starting:\n${this.#logTail()}`)
      if (!lastError) return
      if (Date.now() > deadline) {
        await this.stop('SIGKILL')
        throw new Error(`The database server did not start in ${startTimeoutMs / 1000} s:\n${this.#logTail()}`, {
          cause: lastError,
        })
      }
      await sleep(25)
    }
  }

  #logTail(): string {
    return readFileSync(join(this.dir, 'server.log'), 'utf8').trimEnd().split('\n').slice(-15).join('\n')
  }
}

/**
 * The command as `user` when we are root, and on Linux as a process that the kernel ends with us (`deathSignal`), even
 * when we are killed by SIGKILL.
 */
export function asUser(user: string, command: string[], deathSignal: NodeJS.Signals = 'SIGKILL'): string[] {
  if (process.platform !== 'linux') return command
  const identity = isRoot() ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : []
  return ['setpriv', ...identity, `--pdeathsig=${deathSignal.slice('SIG'.length)}`, ...command]
}

/** Hands a folder to the user who will run the server. */
export async function giveTo(user: string, dir: string): Promise<void> {
  if (isRoot()) await run(['chown', '-R', user, dir])
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Different ones: all are held until the last is known. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
