import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Background } from './background.js'
import { takeTestPort } from '../../packages/manager-core/src/lib/testing/take-ports.js'

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
    const server = new PrivateServer(program, program.port ?? (await takeTestPort()))
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
  readonly #programs: Background

  constructor(program: ServerProgram, port: number) {
    this.#program = program
    this.port = port
    this.#programs = new Background(program.user, program.dir)
  }

  get url(): string {
    return this.#program.url(this.port)
  }

  get dir(): string {
    return this.#program.dir
  }

  get pid(): number | undefined {
    return this.#programs.pids.get('server')
  }

  async start(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs
    while (this.pid === undefined) {
      try {
        await this.#spawn()
      } catch (error) {
        await this.stop('SIGKILL')
        // After a crash, PostgreSQL's other processes live on for a moment.
        if (!/pre-existing shared memory/.test(String(error)) || Date.now() > deadline) throw error
        await sleep(50)
      }
    }
  }

  stop(signal: NodeJS.Signals = this.#program.stopSignal): Promise<void> {
    return this.#programs.stop(signal)
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
    const { stopSignal: deathSignal } = this.#program
    this.#programs.spawn('server', this.#program.command(this.port), { deathSignal })
    await this.#programs.isReady(() =>
      this.#program.connect(this.port).then(
        () => true,
        () => false,
      ),
    )
  }
}
