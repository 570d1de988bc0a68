import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createTestManager, type TestManager } from '../../testing/create-test-manager.js'
import { testInstance } from '../../testing/made-up-operation.js'
import type { PublishOptions, PublishResult } from '../proxies.js'
import { startBackend, type Backend } from './backend.js'
import { call, type Call, type Called } from './call.js'

/** A private program of a reverse proxy. */
export interface ProxyProgram {
  /** As `APPS_HTTPSERVER` names it. */
  readonly type: string
  /** Ports of 127.0.0.1 that are free, or that it listens on. */
  readonly http: number
  readonly https: number
  readonly mainFile: string
  readonly folder: string
  readonly pid: number | undefined
  /** Lines of a manager's `config.sh` that publish by it, into the folder that it includes: `<include>/..`. */
  readonly settings: readonly string[]
  /** What it wrote to its log. */
  log(): Promise<string>
  /** Starts what was stopped, on the same ports. */
  start(): Promise<void>
  /** Ends it and its workers at once. */
  stop(): Promise<void>
  /** `stop()`, and removes the folder. */
  close(): Promise<void>
}

/** Starts one whose main file includes `*.conf` of a folder, which need not be there. */
export type StartProxy = (options: { readonly include: string }) => Promise<ProxyProgram>

/** A manager, a reverse proxy in front of it, and instances that report what reaches them. */
export interface ProxyUnderTest {
  readonly proxy: ProxyProgram
  readonly test: TestManager
  /** Stands in for the server of the manager. */
  readonly manager: Backend
  /** Makes an instance without a process of its own; publishes nothing. */
  add(name: string, values?: { readonly customUrl?: string }): Promise<Backend>
  /** Gives an instance a custom URL that no command would. */
  force(name: string, customUrl: string): void
  /** Lines of `config.sh` from now on, over those that all tests have. */
  set(lines?: readonly string[]): void
  publish(options?: PublishOptions): Promise<PublishResult>
  /** At the port of HTTP, or of HTTPS with `tls`; its host gets the port. */
  call(host: string, path?: string, options?: Partial<Call>): Promise<Called>
  /** Puts a snippet of an instance there; undefined: takes it away. */
  snippet(name: string, text: string | undefined): string
  /** Takes away all instances, snippets and settings of a test. */
  clear(): Promise<void>
  close(): Promise<void>
}

export async function startProxyUnderTest(start: StartProxy): Promise<ProxyUnderTest> {
  const test = await createTestManager({ refresh: false })
  const proxy = await start({ include: join(test.home, 'proxy/live') })
  const manager = await startBackend('manager')
  const backends: Backend[] = []
  const { registry, proxies } = test.context
  const { from, to } = test.context.settings.global.ports
  const snippetFile = (name: string) => join(test.home, 'proxy', proxy.type, 'snippets', `${name}.conf`)
  const set = (lines: readonly string[] = []) =>
    writeFileSync(
      join(test.home, 'config.sh'),
      [
        `export APPS_BASEURL=http://apps.test:${proxy.http}`,
        `export APPS_LISTEN=127.0.0.1:${manager.port}`,
        `export APPS_PORTS=${from}-${to}`,
        'export APPS_SSL=false',
        ...proxy.settings,
        ...lines,
        '',
      ].join('\n'),
      { mode: 0o600 },
    )
  set()
  const main = readFileSync(proxy.mainFile, 'utf8')
  return {
    proxy,
    test,
    manager,
    set,
    async add(name, { customUrl = '' } = {}) {
      const backend = await startBackend(name)
      backends.push(backend)
      const row = testInstance({ id: `i${name.toLowerCase()}`, name, port: backend.port })
      registry.transaction((writer) => writer.insertInstance({ ...row, customUrl }))
      return backend
    },
    force: (name, customUrl) =>
      registry.transaction((writer) => writer.updateInstance(registry.get(name).id, { customUrl })),
    publish: (options) => proxies.publish(test.caller, options),
    call(host, path = '/', options = {}) {
      const port = options.tls ? proxy.https : proxy.http
      return call({ host: `${host}:${port}`, path, port, ...options })
    },
    snippet(name, text) {
      const file = snippetFile(name)
      mkdirSync(dirname(file), { recursive: true })
      if (text === undefined) rmSync(file, { force: true })
      else writeFileSync(file, text)
      return file
    },
    async clear() {
      set()
      writeFileSync(proxy.mainFile, main)
      rmSync(dirname(snippetFile('any')), { recursive: true, force: true })
      registry.transaction((writer) => registry.instances().forEach(({ id }) => writer.deleteInstance(id)))
      await Promise.all(backends.splice(0).map((backend) => backend.close()))
    },
    async close() {
      await proxy.close()
      await Promise.all([manager, ...backends].map((backend) => backend.close()))
      await test.close()
    },
  }
}
