import {
  batchBytes,
  ByteBudget,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessObjects, DocumentStore } from '@steward/rest-core'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import { connectTo, serve, type TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'

const kib = 2 ** 10
const mib = 2 ** 20

const Topic = defineObject({
  name: 'Topic',
  fields: { top_code: { type: 'string', key: true }, top_text: { type: 'text' } },
})
const Note = defineObject({
  name: 'Note',
  indexable: true,
  fields: {
    not_code: { type: 'string', key: true, index: true },
    not_topic: { type: 'reference', object: 'Topic', display: ['top_code'] },
    not_file: { type: 'document' },
    not_column: { type: 'document', storage: 'column' },
  },
})
const model = createModel([Topic, Note])
const ann = systemPrincipal({ login: 'ann' })
let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(given: { parts?: Partial<BusinessObjects>; documents?: DocumentStore; budget?: ByteBudget } = {}) {
  const budget = given.budget ?? new ByteBudget({ total: 16 * mib, perUser: 8 * mib, answer: mib, waitMs: 200 })
  const documents = given.documents ?? ({ info: async () => undefined } as unknown as DocumentStore)
  const service = createBusinessObjects({ model, store: createMemoryStore(), documents })
  const app = new Koa()
  app.silent = true
  const authenticate = ({ req }: { req: { headers: Record<string, unknown> } }) =>
    systemPrincipal({ login: String(req.headers['x-user'] ?? 'ann') })
  app.use(restRouter({ ...service, ...given.parts }, { memory: budget, respond: 'direct', authenticate }).routes())
  server = await serve(app)
  const { row_id: topic } = await service.create(ann, 'Topic', { top_code: 't', top_text: 'x'.repeat(300 * kib) })
  for (let at = 0; at < 10; at++) await service.create(ann, 'Note', { not_code: `note ${at}`, not_topic: topic })
  return { budget, service, topic, call: createCaller(`${server.url}/api/rest`, null) }
}

it.each(['_page=0&_pagesize=10', '_cursor=&_pagesize=10'])(
  'a page of linked texts (%s) that is larger than an answer may be is refused',
  async (page) => {
    const { call, budget } = await start()
    const fields = '_fields=not_topic__top_text'
    const refused = await call('GET', `/Note/?${fields}&${page}`)
    expect([refused.status, refused.json.code]).toEqual([413, 'ERR_TOO_LARGE'])
    expect(refused.json.error).toBe(
      'The answer is larger than 1 MiB. Ask for fewer fields ("_fields") or fewer records.',
    )
    expect((await call('GET', `/Note/?${fields}&${page.replace('=10', '=2')}`)).json).toHaveLength(2)
    await expect.poll(() => budget.used).toBe(0)
  },
)

it('a page is not read beyond what an answer may be', async () => {
  let read = 0
  const search = async () =>
    (async function* () {
      for (; read < 100; read++) yield [{ row_id: `${read}`, text: 'x'.repeat(400 * kib) }]
    })()
  const { call } = await start({ parts: { search: search as never } })
  expect((await call('GET', '/Note/?_page=0')).status).toBe(413)
  expect(read).toBe(2)
})

it('a stream holds what its client has not taken, and a user who has too many waits', async () => {
  let read = 0
  const search = async () =>
    (async function* () {
      for (let at = 0; at < 100; at++) {
        read++
        yield [{ row_id: `${at}`, text: 'x'.repeat(mib) }]
      }
    })()
  const budget = new ByteBudget({ total: 64 * mib, perUser: 4 * batchBytes, answer: 2 * batchBytes, waitMs: 200 })
  const { call } = await start({ parts: { search: search as never }, budget })
  const open = async (user: string) => {
    const connection = await connectTo((server as TestServer).port)
    connection.socket.pause()
    connection.send(`GET /api/rest/Note/ HTTP/1.1\r\nHost: x\r\nX-User: ${user}\r\n\r\n`)
    return connection
  }
  const connections = []
  for (let count = 0; count < 4; count++) connections.push(await open('ann'))
  await expect.poll(() => budget.usedBy('ann')).toBeGreaterThan(0)
  // Sockets take some, then all of them wait for their clients.
  let before = -1
  await expect.poll(() => before === (before = read), { interval: 300 }).toBe(true)
  expect(read).toBeLessThan(60)
  expect(budget.usedBy('ann')).toBeLessThanOrEqual(4 * batchBytes)
  expect((await call('GET', '/Note/?_count=true', { headers: { 'x-user': 'bob' } })).json.count).toBe(10)
  for (const { socket } of connections) socket.destroy()
  await expect.poll(() => budget.used).toBe(0)
})

it('a batch whose answer is larger than an answer may be is undone, or ends item by item', async () => {
  const { call, topic, budget } = await start()
  const items = Array.from({ length: 100 }, () => ({ action: 'update', row_id: topic, values: {} }))
  for (const query of ['', '?_dryrun=true']) {
    const refused = await call('POST', `/Topic/_batch${query}`, { json: items })
    expect([refused.status, refused.json.code]).toEqual([413, 'ERR_TOO_LARGE'])
    expect(refused.json.error).toMatch(/^Item 3: /)
  }
  const { status, json } = await call('POST', '/Topic/_batch?_atomic=false', { json: items })
  expect(status).toBe(200)
  expect(json.map((item: { status: number }) => item.status)).toEqual([200, 200, 200, 200, ...Array(96).fill(413)])
  expect(json[3]).toEqual({ status: 200, record: { row_id: topic } })
  expect(json[4]).toMatchObject({ code: 'ERR_TOO_LARGE', error: expect.stringMatching(/not written/) as string })
  expect((await call('POST', '/Topic/_batch?_fields=top_code', { json: items })).json).toHaveLength(100)
  await expect.poll(() => budget.used).toBe(0)
})

it('contents of documents are counted before they are read', async () => {
  let read = 0
  const info = (id: string) => ({ id, name: 'a', mime: 'text/plain', size: 300 * kib, path: 'Note/not_file' })
  const documents = {
    put: async () => info('7'),
    info: async (id: string) => info(id),
    read: async () => {
      read++
      return [Buffer.alloc(300 * kib)]
    },
  } as unknown as DocumentStore
  const { call, service, budget } = await start({ documents })
  const content = Buffer.from('a').toString('base64')
  for (let at = 0; at < 5; at++)
    await service.create(ann, 'Note', { not_code: `file ${at}`, not_file: { name: 'a', content } })
  const refused = await call('GET', '/Note/?not_code=file*&_inline_documents=true&_page=0')
  expect([refused.status, refused.json.code, read]).toEqual([413, 'ERR_TOO_LARGE', 2])
  expect((await call('GET', '/Note/?not_code=file 1&_inline_documents=true&_page=0')).json).toHaveLength(1)
  await expect.poll(() => budget.used).toBe(0)
})

it('an index search counts its records', async () => {
  const { call } = await start()
  const path = '/Note/?_indexsearch=note&_fields=not_topic__top_text'
  const refused = await call('GET', path)
  expect([refused.status, refused.json.code]).toEqual([413, 'ERR_TOO_LARGE'])
  expect((await call('GET', `${path}&_page=0&_pagesize=2`)).json).toHaveLength(2)
})

it('what has come of a document for a column counts for its user', async () => {
  const { budget } = await start()
  const connection = await connectTo((server as TestServer).port)
  connection.send(
    `PUT /api/rest/Note/1/_document/not_column HTTP/1.1\r\nHost: x\r\nX-User: ann\r\nContent-Length: ${2 * mib}\r\n\r\n`,
  )
  connection.send(Buffer.alloc(700 * kib))
  await expect.poll(() => budget.usedBy('ann')).toBeGreaterThanOrEqual(700 * kib)
  connection.socket.destroy()
  await expect.poll(() => budget.used).toBe(0)
})
