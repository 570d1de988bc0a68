import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Background } from './background.js'
import { killDescendants } from './processes.js'

/** A private server of files. */
export interface TestFileServer {
  readonly host: string
  readonly port: number
  readonly user: string
  /** An empty folder for what is stored. */
  readonly store: string
  readonly folder: string
  readonly pid: number | undefined
  /** Options of its target. */
  readonly options: Readonly<Record<string, string>>
  /** Starts what was stopped, on the same port. */
  start(): Promise<void>
  /** Ends it and all sessions at once. */
  stop(): Promise<void>
  /** Ends sessions only. @returns how many processes. */
  killSessions(): number
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** A program with a process for each session. */
export abstract class FileServer implements TestFileServer {
  readonly host = '127.0.0.1'
  readonly port: number
  readonly folder: string
  readonly #programs: Background

  /** @param systemUser who runs it when we are root */
  constructor(systemUser: string, folder: string, port: number) {
    this.folder = folder
    this.port = port
    this.#programs = new Background(systemUser, folder)
  }

  abstract readonly user: string
  abstract readonly options: TestFileServer['options']
  /** The program with its arguments. */
  protected abstract command(): string[]
  /** Writes its files. */
  protected abstract prepare(): Promise<void>
  /** Whether it answers. */
  protected abstract answers(): Promise<boolean>

  get store(): string {
    return join(this.folder, 'store')
  }

  get pid(): number | undefined {
    return this.#programs.pids.get('server')
  }

  async begin(): Promise<void> {
    await mkdir(this.store)
    await this.prepare()
    await this.start()
  }

  async start(): Promise<void> {
    if (this.pid !== undefined) return
    this.#programs.spawn('server', this.command())
    await this.#programs.isReady(() => this.answers())
  }

  async stop(): Promise<void> {
    this.killSessions()
    await this.#programs.stop()
  }

  killSessions(): number {
    return this.pid === undefined ? 0 : killDescendants(this.pid)
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#programs.close()
  }
}
