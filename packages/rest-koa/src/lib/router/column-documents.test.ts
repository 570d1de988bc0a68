import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  createRights,
  defineObject,
  systemPrincipal,
} from '@steward/rest-core'
import { AuditEntry } from '@steward/rest-core/system'
import Koa from 'koa'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

const Photo = defineObject({
  name: 'Photo',
  audit: true,
  fields: { name: { type: 'string' }, file: { type: 'document', storage: 'column', maxBytes: 1000 } },
})

/** What starts a PNG, and three more bytes. */
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

/** Without a document store: nothing needs one. */
async function start() {
  const model = createModel([Photo, AuditEntry])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const rightsOf: Record<string, ReturnType<typeof createRights> | undefined> = {
    reader: createRights(model, [{ object: 'Photo', letters: 'R' }], {}),
    blind: createRights(model, [{ object: 'Photo', letters: 'CRUD', hidden: ['file'] }], {}),
  }
  const authenticate = (context: Koa.Context) => {
    const login = context.get('x-user') || 'ann'
    const rights = rightsOf[login]
    return rights ? createPrincipal({ login, rights }) : systemPrincipal({ login })
  }
  const server = await serve(new Koa().use(restRouter(service, { authenticate }).routes()))
  onTestFinished(() => server.close())
  const call = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer>,
  ) => fetch(`${server.url}/api/rest/${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  const json = { 'content-type': 'application/json' }
  const created = await call('POST', 'Photo', json, '{"name":"a"}')
  const { row_id: id } = (await created.json()) as { row_id: string }
  return { call, json, id, file: `Photo/${id}/_document/file` }
}

it('a document in a column is uploaded, shown by its length, and downloaded whole and in parts', async () => {
  const { call, json, id, file } = await start()
  expect((await call('GET', file)).status).toBe(404)
  const put = await call('PUT', file, { 'content-type': 'image/png' }, png)
  expect([put.status, put.headers.get('etag'), await put.json()]).toEqual([
    200,
    null,
    expect.objectContaining({ row_id: id, name: 'a', file: 'bytes-11' }),
  ])
  const whole = await call('GET', file)
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '11',
    'content-disposition': `inline; filename="Photo-${id}.png"`,
    'accept-ranges': 'bytes',
  })
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(png)
  const tag = whole.headers.get('etag') ?? ''
  expect((await call('GET', file, { 'if-none-match': tag })).status).toBe(304)
  const part = await call('GET', file, { range: 'bytes=8-9', 'if-range': tag })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 8-9/11'])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from([1, 2]))

  // Another one with the same length.
  const other = Buffer.from(png).fill(9)
  expect((await call('PUT', file, { 'if-none-match': '*' }, other)).status).toBe(412)
  expect((await call('PUT', file, { 'if-match': tag }, other)).status).toBe(200)
  expect((await call('PUT', file, { 'if-match': tag }, png)).status).toBe(412)
  const changed = await call('GET', file, { 'if-none-match': tag })
  expect([changed.status, changed.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
  expect(Buffer.from(await changed.arrayBuffer())).toEqual(other)
  const audit = await (await call('GET', 'AuditEntry?aud_action=update')).json()
  expect(JSON.stringify(audit)).toMatch(/"file":\["bytes-11","bytes-11-[\w-]{12}"\]/)

  const inlined = await (await call('GET', `Photo/${id}?_inline_documents=true`)).json()
  expect(inlined).toMatchObject({ file: { size: 11, content: other.toString('base64') } })
  // What was answered may be sent back; another id may not.
  expect((await call('PUT', `Photo/${id}`, json, '{"name":"b","file":"bytes-11"}')).status).toBe(200)
  expect((await call('PUT', `Photo/${id}`, json, '{"file":"bytes-12"}')).status).toBe(400)
  expect((await call('PUT', file, {}, Buffer.alloc(1001))).status).toBe(413)
  expect((await call('PUT', `Photo/${id}`, json, '{"file":{"name":"x","content":"AQI="}}')).status).toBe(200)
  expect(Buffer.from(await (await call('GET', file)).arrayBuffer())).toEqual(Buffer.from([1, 2]))
  expect(await (await call('PUT', `Photo/${id}`, json, '{"file":""}')).json()).toMatchObject({ file: '' })
  expect((await call('GET', file)).status).toBe(404)
})

it('a document in a column is found by whether it is there, and by nothing else', async () => {
  const { call, file } = await start()
  const count = async (query: string) => {
    const answer = await call('GET', `Photo?${query}`)
    return answer.status === 200 ? ((await answer.json()) as unknown[]).length : answer.status
  }
  expect([await count('file=*'), await count('_filter=file%20is%20null')]).toEqual([0, 1])
  await call('PUT', file, {}, png)
  expect([await count('file=*'), await count('_filter=file%20is%20null')]).toEqual([1, 0])
  expect([await count('file=bytes-11'), await count('file=bytes*'), await count('_order=file')]).toEqual([
    400, 400, 400,
  ])
})

it('a document in a column follows the rights of its record and field', async () => {
  const { call, file } = await start()
  await call('PUT', file, {}, png)
  expect((await call('GET', file, { 'x-user': 'reader' })).status).toBe(200)
  expect((await call('PUT', file, { 'x-user': 'reader' }, png)).status).toBe(403)
  expect((await call('GET', file, { 'x-user': 'blind' })).status).toBe(404)
  expect((await call('PUT', file, { 'x-user': 'blind' }, png)).status).toBe(404)
})
