import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessRecord } from '@steward/rest-core'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { restRouter, type RestRouterOptions } from '../router/rest-router.js'
import { connectTo, serve, type TestServer } from '../testing/serve.js'

const Note = defineObject({
  name: 'Note',
  fields: { text: { type: 'text' } },
  publications: { list: { format: 'csv', scope: 'global' } },
})

let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Serves rows; says when reading them has ended. */
async function start(
  rows: () => Iterable<BusinessRecord>,
  options: Pick<RestRouterOptions, 'pace' | 'respond'>,
): Promise<{ readonly ended: Promise<void> }> {
  const ended = Promise.withResolvers<void>()
  const service = createBusinessObjects({
    model: createModel([Note]),
    store: {
      ...createMemoryStore(),
      async *search() {
        try {
          for (const row of rows()) yield [row]
        } finally {
          ended.resolve()
        }
      },
    },
  })
  const app = new Koa()
  app.silent = true
  app.use(restRouter(service, { authenticate: () => systemPrincipal({ login: 'ann' }), ...options }).routes())
  server = await serve(app)
  return { ended: ended.promise }
}

/** Compresses badly. */
function* endless(): Generator<BusinessRecord> {
  for (let row = 1; ; row++) {
    const text = Array.from({ length: 1_000 }, (_, at) => Math.imul(row * 7919 + at, 0x9e3779b1).toString(36)).join('')
    yield { row_id: String(row), text }
  }
}

it.each([
  ['direct', '/Note', ''],
  ['direct', '/Note', 'Accept-Encoding: gzip\r\n'],
  ['direct', '/Note?_printtemplate=list', ''],
  ['koa', '/Note', ''],
  ['koa', '/Note?_printtemplate=list', ''],
] as const)('a client that takes nothing is cut, with %s, GET %s %s', async (respond, path, headers) => {
  const { ended } = await start(endless, { respond, pace: { stallMs: 100 } })
  const client = await connectTo(server!.port)
  client.socket.pause()
  client.send(`GET /api/rest${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  await ended
  client.socket.destroy()
})

it.each(['direct', 'koa'] as const)('a client that takes too long in all is cut, with %s', async (respond) => {
  const { ended } = await start(endless, { respond, pace: { totalMs: 200 } })
  const answer = await fetch(`${server!.url}/api/rest/Note`)
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow()
  await ended
})

it.each(['direct', 'koa'] as const)('rows that are longer than a part come whole, with %s', async (respond) => {
  const rows = ['é🐴a', '🐴', 'x'].map((text, at) => ({ row_id: String(at), text: text.repeat(100_003) }))
  await start(() => rows, { respond })
  const answer = await fetch(`${server!.url}/api/rest/Note`)
  expect(await answer.json()).toEqual(rows)
})
