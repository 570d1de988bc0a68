import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSqliteStore } from '@steward/db-adapters/sqlite'
import { createBusinessObjects, createModel, defineObject } from '@steward/rest-core'
import { createAdministrator, createUserDirectory, systemObjects } from '@steward/rest-core/system'
import { createAuthentication, errorResponse, loginRouter, restRouter, securityHeaders } from '@steward/rest-koa'
import Koa from 'koa'

export const Book = defineObject({
  name: 'Book',
  fields: {
    bok_title: { type: 'string', length: 200, required: true, key: true, label: 'Title' },
    bok_pages: { type: 'integer', min: 1, max: 10_000, label: 'Pages' },
    bok_read: { type: 'boolean', label: 'Read' },
  },
  order: ['bok_title'],
})

const pageFolder = fileURLToPath(new URL('page', import.meta.url))
const clientFolder = dirname(fileURLToPath(import.meta.resolve('@steward/rest-client')))
const types: Readonly<Record<string, string>> = { '.html': 'html', '.css': 'css', '.js': 'js' }

/** A page and the service that it calls, at one address. */
export async function createApp(filename: string, password: string) {
  const model = createModel([...systemObjects, Book])
  const store = createSqliteStore({ filename })
  await store.sync(model)
  const service = createBusinessObjects({ model, store })
  await createAdministrator(service, { login: 'reader', password })
  const authentication = createAuthentication({
    authenticator: createUserDirectory({ model, store }),
    tokens: { secret: randomBytes(32) },
  })

  const app = new Koa()
  app.use(errorResponse())
  app.use(securityHeaders())
  app.use(loginRouter(authentication).routes())
  app.use(restRouter(service, { authenticate: authentication.authenticate }).routes())
  app.use(async (context) => {
    // The client is an ES module; the page takes it as it is, so nothing needs to be bundled.
    const client = context.path.startsWith('/client/')
    const name = basename(context.path) || 'index.html'
    const type = types[extname(name)]
    if (!type || (!client && context.path !== '/' && context.path !== `/${name}`)) return
    const content = await readFile(join(client ? clientFolder : pageFolder, name)).catch(() => undefined)
    if (!content) return
    context.body = content
    context.type = type
    context.set('Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'; base-uri 'none'")
  })
  return { app, close: () => store.close() }
}
