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
  /** Opens a page, such as `operations`, as the administrator, who is signed in. Default: the list of instances. */
  open(browser: Browser, view?: string, options?: OpenOptions): Promise<WatchedPage>
  /** Ends the server and another is started at the same address, as after a restart. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Who may do everything, of a manager without a password of its own. */
export const administrator = { name: 'admin', password: 'admin' } as const

export interface OpenOptions extends PageOptions {
  /** Who has signed in. Default: the administrator. */
  readonly as?: { readonly name: string; readonly password: string }
}

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
  const states = new Map<string, ReturnType<typeof signedIn>>()
  return {
    manager,
    get server() {
      return server
    },
    url,
    pretend: (names) => pretend(manager, names),
    async open(browser, view = '', { as = administrator, ...how } = {}) {
      const key = JSON.stringify(as)
      const state = states.get(key) ?? signedIn(url, as)
      states.set(key, state)
      return openPage(browser, `${url}/${view}`, { state: await state, ...how })
    },
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

/** What the browser of a signed-in user keeps. @param pages address of the pages, without a last slash */
async function signedIn(pages: string, as: NonNullable<OpenOptions['as']>): Promise<NonNullable<PageOptions['state']>> {
  const { origin, hostname, pathname } = new URL(pages)
  const response = await fetch(`${pages.replace(/\/ui$/, '')}/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Manager-Request': '1' },
    body: JSON.stringify(as),
  })
  const { key } = (await response.json()) as { readonly key: string }
  const cookies = response.headers.getSetCookie().map((text) => {
    const [, name = '', value = '', path = ''] = /^(\w+)=([^;]*); Path=([^;]*);/.exec(text) ?? []
    const kept = { name, value, path, domain: hostname, expires: -1 }
    return { ...kept, httpOnly: true, secure: false, sameSite: 'Strict' as const }
  })
  return { cookies, origins: [{ origin, localStorage: [{ name: `steward.session ${pathname}`, value: key }] }] }
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
