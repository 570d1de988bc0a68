import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { ClientHttp2Session, Http2Server, IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { restRouter } from './rest-router.js'

const Thing = defineObject({ name: 'Thing', fields: { thg_name: { type: 'string', length: 5000, key: true } } })
const json = { 'content-type': 'application/json' }
let server: Http2Server
let client: ClientHttp2Session

beforeAll(async () => {
  const service = createBusinessObjects({ model: createModel([Thing]), store: createMemoryStore() })
  const ann = systemPrincipal({ login: 'ann' })
  const app = new Koa()
  app.silent = true
  app.use(restRouter(service, { authenticate: () => ann, bodyLimitBytes: 1000 }).routes())
  const rows = Array.from({ length: 500 }, (_, at) => ({ row_id: `${at}`, thg_name: 'x'.repeat(at) }))
  const batches = async function* () {
    for (let batch = 0; batch < 3; batch++) yield rows
  }
  const many = { ...service, search: async () => batches() as never }
  app.use(restRouter(many, { authenticate: () => ann, prefix: '/many', respond: 'direct' }).routes())
  server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  client.close()
  server.close()
})

async function call(
  method: string,
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
  const stream = client.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }]
  return { status: answered[':status'], headers: answered, text: await text(stream) }
}

it('serves records over HTTP/2', async () => {
  const created = await call('POST', '/api/rest/Thing', { headers: json, body: '{"thg_name":"x"}' })
  expect([created.status, created.text]).toEqual([200, '{"row_id":"1","thg_name":"x"}'])
  const got = await call('GET', created.headers.location as string)
  expect([got.status, got.text, got.headers.etag]).toEqual([200, created.text, created.headers.etag])
  expect((await call('GET', '/api/rest/Thing')).text).toBe(`[${created.text}]`)
  expect((await call('HEAD', '/api/rest/Thing')).text).toBe('')
  expect((await call('DELETE', '/api/rest/Thing/1')).status).toBe(200)
})

it('takes no notice of a body over HTTP/2 only when there is none', async () => {
  expect((await call('POST', '/api/rest/Thing')).status).toBe(400)
  expect((await call('POST', '/api/rest/Thing', { headers: { 'content-length': '0' }, body: '' })).status).toBe(400)
  expect((await call('POST', '/api/rest/Thing', { body: '{"thg_name":"x"}' })).status).toBe(415)
  const large = await call('POST', '/api/rest/Thing', { headers: json, body: `{"thg_name":"${'x'.repeat(2000)}"}` })
  expect([large.status, JSON.parse(large.text).code]).toEqual([413, 'ERR_TOO_LARGE'])
})

it.each([
  ['stream', '/many/Thing', 1500],
  ['page', '/many/Thing?_page=0', 1500],
])('a %s is compressed over HTTP/2', async (_, path, length) => {
  const stream = client.request({ ':path': path, 'accept-encoding': 'gzip' })
  const [answered] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  expect(answered['content-encoding']).toBe('gzip')
  expect(JSON.parse(gunzipSync(await buffer(stream)).toString())).toHaveLength(length)
})
