import type { Browser } from 'playwright-core'
import { createManager, type Manager } from '@steward/manager-core'
import { openPage, type PageOptions, type WatchedPage } from '../../../tests/browser.js'
import {
  createTestManager,
  type TestManager,
  type TestManagerOptions,
} from '../../manager-core/src/lib/testing/create-test-manager.js'
import { createManagerServer, type ManagerServer } from './lib/create-manager-server.js'

/** The pages of a manager of its own, with fake applications. */
export interface TestPages {
  readonly manager: TestManager
  readonly server: ManagerServer
  /** Address of the pages without a last slash: `http://127.0.0.1:40123/ui`. */
  readonly url: string
  /** Adds instances without making them: they are in the registry, stopped, and have no files. */
  pretend(names: readonly string[]): void
  /** Opens a page, such as `operations`, as the administrator. Default: the list of instances. */
  open(browser: Browser, view?: string, options?: PageOptions): Promise<WatchedPage>
  /** Ends the server and another is started at the same address, as after a restart. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Who may do everything. */
export const administrator = { username: 'admin', password: 'admin' } as const

export interface TestPagesOptions extends TestManagerOptions {
  /** Folder of the pages. Default: that of `TEST_UI`, else those that were built last. */
  readonly ui?: string
}

/** Starts a manager and its server, which listens on a free port of loopback. */
export async function startPages({ ui, ...options }: TestPagesOptions = {}): Promise<TestPages> {
  // The built manager, as the server has it, so that errors are of one class; to types that makes two of everything.
  const built = createManager as unknown as NonNullable<TestManagerOptions['createManager']>
  const manager = await createTestManager({ createManager: built, ...options })
  const folder = ui ?? (process.env['TEST_UI'] || undefined)
  const start = (listen: string) =>
    createManagerServer({
      manager: manager.manager as unknown as Manager,
      listen,
      ...(folder !== undefined && { ui: folder }),
    })
  let server = await start('127.0.0.1:0')
  const { host } = new URL(server.url)
  const path = new URL(manager.context.settings.global.baseUrl).pathname.replace(/\/$/, '')
  const url = `http://${host}${path}/ui`
  return {
    manager,
    get server() {
      return server
    },
    url,
    pretend: (names) => pretend(manager, names),
    open: (browser, view = '', how = {}) => openPage(browser, `${url}/${view}`, { credentials: administrator, ...how }),
    async restart() {
      await server.close()
      server = await start(host)
    },
    async close() {
      await server.close()
      await manager.close()
    },
  }
}

/** Gives them several versions, databases and flags, so that filters and columns have something to show. */
function pretend({ context: { registry } }: TestManager, names: readonly string[]): void {
  const [version] = registry.versions()
  const databases = ['sqlite', 'postgresql', 'mysql'] as const
  const now = new Date().toISOString()
  registry.transaction((writer) => {
    for (const [n, name] of names.entries())
      writer.insertInstance({
        id: `i${String(n).padStart(7, '0')}`,
        name,
        port: 50_000 + n,
        created: now,
        updated: now,
        version: version?.version ?? '1.0',
        versionDate: version?.date ?? now,
        revision: version?.revision ?? '',
        desired: 'stopped',
        observed: 'stopped',
        operation: '',
        proved: '',
        installedVersion: '',
        heldRevision: '',
        runtime: 'process',
        host: '127.0.0.1',
        protected: n % 7 === 0,
        autoUpdate: n % 2 === 0,
        autoSave: n % 3 === 0,
        database: databases[n % databases.length] as (typeof databases)[number],
        customUrl: '',
        source: 'template:1.0',
        ownerEmail: `owner${n}@example.com`,
        firstname: '',
        lastname: '',
        phone: '',
        company: n % 10 === 0 ? 'Example Ltd' : '',
      })
  })
}
