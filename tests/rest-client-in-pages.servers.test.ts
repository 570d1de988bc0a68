import { readFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createBusinessObjects,
  createDiskDocumentStore,
  createMemoryStore,
  createModel,
  defineObject,
} from '@steward/rest-core'
import { createAdministrator, createUserDirectory, systemObjects } from '@steward/rest-core/system'
import { cors, createAuthentication, loginRouter, restRouter } from '@steward/rest-koa'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serve, type TestServer } from '../packages/rest-koa/src/lib/testing/serve.js'
import { needsBrowser } from './browser.js'

const client = fileURLToPath(new URL('../packages/rest-client/dist/', import.meta.url))
const password = 'correct horse'

const Note = defineObject({
  name: 'Note',
  fields: {
    not_code: { type: 'string', length: 20, key: true },
    not_file: { type: 'document' },
  },
  order: ['not_code'],
  publications: { label: { format: 'txt', template: '{{not_code}}' } },
})

let folder: string
/** Serves the page, the service, and a service that does not allow the page. */
let site: TestServer
let service: TestServer
let strict: TestServer
let page = ''

const files = new Set(readdirSync(client).filter((name) => name.endsWith('.js')))

/** An empty page, and the built client. */
const servePage: Middleware = (context) => {
  const name = context.path.slice(1)
  context.type = files.has(name) ? 'text/javascript' : 'text/html'
  context.body = files.has(name)
    ? readFileSync(join(client, name))
    : '<!doctype html><title>Page</title><link rel="icon" href="data:,">'
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-pages-'))
  site = await serve(new Koa().use(servePage))
  // Another site than the service's for a browser, and a secure one.
  page = `http://localhost:${site.port}`
  const model = createModel([...systemObjects, Note])
  const store = createMemoryStore()
  const objects = createBusinessObjects({ model, store, documents: createDiskDocumentStore({ folder }) })
  await createAdministrator(objects, { login: 'ann', password })
  const { authenticate, ...authentication } = createAuthentication({
    authenticator: createUserDirectory({ model, store }),
    tokens: { secret: Buffer.alloc(32, 'k') },
  })
  const app = (origins: readonly string[]) =>
    new Koa()
      .use(cors({ origins }))
      .use(loginRouter({ authenticate, ...authentication }).routes())
      .use(restRouter(objects, { authenticate, rateLimit: { requests: 100_000, seconds: 60 } }).routes())
      .use(servePage)
  service = await serve(app([page]))
  strict = await serve(app(['https://another.example']))
})
afterAll(async () => {
  await service?.close()
  await strict?.close()
  await site?.close()
  rmSync(folder, { recursive: true, force: true })
})

needsBrowser((browser) => {
  /** Runs code of a page that has `createClient` and the address of the service. */
  async function inPage<T>(base: string, code: string, at = page): Promise<T> {
    const context = await browser().newContext()
    const opened = await context.newPage()
    try {
      await opened.goto(at)
      return await opened.evaluate(
        `(async () => {
          const { createClient } = await import('${at}/index.js')
          const url = '${base}/api/rest', credentials = { login: 'ann', password: '${password}' }
          ${code}
        })()`,
      )
    } finally {
      await context.close()
    }
  }

  it('a page of an allowed origin logs in and reads every header that the client needs', async () => {
    const seen = await inPage(
      service.url,
      `const client = createClient({ url, credentials })
      const { login } = await client.login()
      const notes = client.object('Note')
      for (const not_code of ['a', 'b', 'c', 'd', 'e']) await notes.create({ not_code }, { idempotencyKey: true })
      const pages = []
      let cursor
      do {
        const page = await notes.page({ pageSize: 2, cursor })
        pages.push(page.records.map((note) => note.not_code).join(''))
        cursor = page.cursor
      } while (cursor)
      const { record, etag } = await notes.getTagged('1')
      await notes.update('1', { not_code: 'z' }, { ifMatch: etag })
      const published = await notes.publication('label', { rowId: '1' })
      const remaining = published.headers.get('ratelimit-remaining')
      await client.logout()
      return { login, pages, name: published.headers.get('content-disposition'), remaining: Number(remaining) > 0 }`,
    )
    expect(seen).toEqual({
      login: 'ann',
      pages: ['ab', 'cd', 'e'],
      name: expect.stringContaining('filename=') as string,
      remaining: true,
    })
  })

  it('a page of any other origin can neither log in nor read', async () => {
    const outcome = await inPage(
      strict.url,
      `const client = createClient({ url, credentials, retries: 0 })
      const failure = (call) => call.then(() => 'succeeded', ({ code, message }) => code + ' ' + message)
      return [await failure(client.login()), await failure(client.object('Note').get('1'))]`,
    )
    const said = expect.stringMatching(/^ERR_NETWORK The service at .* or its `cors` does not list http/) as string
    expect(outcome).toEqual([said, said])
  })

  it('a 401 is an error of the call, and no dialog of the browser', async () => {
    const code = await inPage(
      service.url,
      `return createClient({ url }).object('Note').get('1').catch((error) => error.code)`,
      service.url,
    )
    expect(code).toBe('ERR_CREDENTIALS')
  })

  it('a stream is uploaded, which the browser cannot send as one', async () => {
    const length = await inPage(
      service.url,
      `const notes = createClient({ url, credentials }).object('Note')
      await notes.upload('2', 'not_file', new Blob([new Uint8Array(300_000)]).stream(), { name: 'zeros.bin' })
      return (await (await notes.download('2', 'not_file')).arrayBuffer()).byteLength`,
    )
    expect(length).toBe(300_000)
  })
})
