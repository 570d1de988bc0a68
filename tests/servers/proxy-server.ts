import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { ProxyProgram } from '../../packages/manager-core/src/lib/proxies/contract/proxy-under-test.js'
import { Background, started } from './background.js'

export interface ProxyOptions {
  /** A folder whose `*.conf` its main file includes; it need not be there. Default: none. */
  readonly include?: string
  /** Further lines of its main file, after that. */
  readonly lines?: readonly string[]
}

/** A private reverse proxy. */
export interface TestProxy extends ProxyProgram {
  readonly type: 'nginx' | 'httpd'
}

export interface PrivateProxyOptions extends Pick<TestProxy, 'type' | 'folder' | 'http' | 'https' | 'mainFile'> {
  /** A port that answers without anything included. */
  readonly alive: number
  readonly command: string[]
  /** Absolute path of its program. */
  readonly program: string
  readonly stopSignal: NodeJS.Signals
}

/** A program whose first process ends its workers on request, and never otherwise: it gets no SIGKILL. */
export class PrivateProxy implements TestProxy {
  readonly type: TestProxy['type']
  readonly folder: string
  readonly http: number
  readonly https: number
  readonly mainFile: string
  readonly #options: PrivateProxyOptions
  readonly #programs: Background

  constructor(options: PrivateProxyOptions) {
    this.#options = options
    this.type = options.type
    this.folder = options.folder
    this.http = options.http
    this.https = options.https
    this.mainFile = options.mainFile
    this.#programs = new Background(userInfo().username, options.folder)
  }

  get pid(): number | undefined {
    return this.#programs.pids.get('server')
  }

  get settings(): readonly string[] {
    return [
      'export APPS_PROXY=yes',
      `export APPS_HTTPSERVER=${this.type}`,
      `export APPS_PROXYCONFIG=${this.mainFile}`,
      `export APPS_PROXYCOMMAND=${this.#options.program}`,
      `export APPS_PROXYHTTP=${this.http}`,
      `export APPS_PROXYHTTPS=${this.https}`,
    ]
  }

  log(): Promise<string> {
    return readFile(join(this.folder, 'error.log'), 'utf8')
  }

  begin(): Promise<TestProxy> {
    return started<TestProxy>(this, () => this.start())
  }

  async start(): Promise<void> {
    const { command, alive, stopSignal } = this.#options
    this.#programs.spawn('server', command, { deathSignal: stopSignal })
    await this.#programs.listens(alive)
  }

  stop(): Promise<void> {
    return this.#programs.stop(this.#options.stopSignal)
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#programs.close()
  }
}
