import { hash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createMemoryStore, createModel, systemPrincipal, defineObject } from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { cors } from '../middleware/cors.js'
import { runService } from '../testing/running-service.js'
import type { RunningService } from '../testing/running-service.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'
import type { RestRouterOptions } from './rest-router.js'

const Note = defineObject({
  name: 'Note',
  fields: { title: { type: 'string', key: true }, text: { type: 'text' }, file: { type: 'document' } },
  publications: { list: { format: 'csv', scope: 'global' }, book: { format: 'xlsx', scope: 'global' } },
})
const ann = systemPrincipal({ login: 'ann' })
const small = 'x'.repeat(500)
const long = 'a few words '.repeat(400)

let running: RunningService
let server: TestServer | undefined
const errors: Error[] = []

beforeAll(async () => {
  running = await runService(createModel([Note]), createMemoryStore())
  await running.service.create(ann, 'Note', { title: 'small', text: small })
  await running.service.create(ann, 'Note', { title: 'long', text: long })
})
afterAll(() => running.close())
afterEach(async () => {
  await server?.close()
  const [error] = errors.splice(0)
  if (error) throw error
})

async function start(options: Partial<RestRouterOptions> = {}, service?: Partial<BusinessObjects>): Promise<void> {
  const app = new Koa()
  app.on('error', (error) => errors.push(error))
  app.use(cors({ origins: ['https://app.example.org'] }))
  const all = { ...running.service, ...service }
  app.use(restRouter(all, { authenticate: () => ann, respond: 'direct', ...options }).routes())
  server = await serve(app)
}

type Headers = Readonly<Record<string, string>>

/** Asks without taking anything apart, as `fetch` would. */
async function open(path: string, headers: Headers, method = 'GET', body?: string | Buffer): Promise<IncomingMessage> {
  const asking = request(`${server?.url}/api/rest${path}`, { method, headers })
  asking.end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return answer
}

async function ask(
  path: string,
  headers: Headers = {},
  method?: string,
  sent?: string | Buffer,
): Promise<Pick<IncomingMessage, 'headers' | 'statusCode'> & { body: Buffer; text: string }> {
  const answer = await open(path, headers, method, sent)
  const body = await buffer(answer)
  const encoding = answer.headers['content-encoding']
  const decode =
    body.length > 0 && { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }[`${encoding}`]
  return {
    headers: answer.headers,
    statusCode: answer.statusCode,
    body,
    text: (decode ? decode(body) : body).toString(),
  }
}

const gzip = { 'accept-encoding': 'gzip' }

it.each([
  ['a search', '/Note/'],
  ['a page', '/Note/?_page=0'],
  ['a page by cursor', '/Note/?_cursor='],
  ['a record', '/Note/2'],
  ['a publication', '/Note/publication:list'],
  ['a publication as JSON', '/Note/publication:list?_output=json'],
  ['a page of documentation', '/Note/?_doc=true&_output=html'],
])('%s is compressed as the client asks, and is the same then', async (_, path) => {
  await start()
  const plain = await ask(path)
  expect(plain.headers).toMatchObject({ vary: 'Origin, Accept-Encoding' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  for (const [accepted, encoding] of [
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
  ] as const) {
    const packed = await ask(path, { 'accept-encoding': accepted })
    expect(packed.statusCode).toBe(200)
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Origin, Accept-Encoding' })
    expect(packed.headers['content-type']).toBe(plain.headers['content-type'])
    expect(packed.text).toBe(plain.text)
    expect(packed.body.length).toBeLessThan(plain.body.length / 2)
    const head = await ask(path, { 'accept-encoding': accepted }, 'HEAD')
    expect([head.statusCode, head.body.length, head.headers.vary]).toEqual([200, 0, 'Origin, Accept-Encoding'])
  }
  const kept = await ask(path, { 'accept-encoding': 'gzip', 'cache-control': 'no-transform' })
  expect(kept.headers['content-encoding']).toBeUndefined()
})

it.each([
  ['a small record', '/Note/1', gzip],
  ['the application info, which holds a token', '/?session=true', { 'accept-encoding': 'gzip, identity;q=0' }],
  ['a format that is compressed already', '/Note/publication:book', gzip],
  ['an answer that a client refuses compressed', '/Note/2', { 'accept-encoding': 'gzip;q=0' }],
])('%s is not compressed', async (_, path, headers) => {
  await start()
  const answer = await ask(path, headers)
  expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined])
})

it('a small record is compressed for a client that takes nothing else', async () => {
  await start()
  const answer = await ask('/Note/1', { 'accept-encoding': 'gzip, identity;q=0' })
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Origin, Accept-Encoding' })
  expect(JSON.parse(answer.text)).toMatchObject({ text: small })
})

it('a document is never compressed, and is still read in ranges', async () => {
  await start()
  const { row_id: id } = await running.service.create(ann, 'Note', { title: 'document', text: long })
  const path = `/Note/${id}/_document/file`
  const type = { 'content-type': 'text/plain' }
  const stored = await ask(path, { ...gzip, ...type }, 'PUT', long)
  const whole = await ask(path, gzip)
  expect([stored.statusCode, stored.headers.etag]).toEqual([200, whole.headers.etag])
  expect([whole.headers['content-encoding'], whole.headers['content-length']]).toEqual([undefined, `${long.length}`])
  expect((await ask(path, { ...gzip, range: 'bytes=0-2' })).text).toBe('a f')
  await running.service.delete(ann, 'Note', id)
})

it('nothing is compressed with `compression: false`, nor by default when Koa gives the answer', async () => {
  for (const options of [{ compression: false }, { respond: 'koa' }] as const) {
    await start(options)
    const { headers } = await ask('/Note/2', gzip)
    expect([headers['content-encoding'], headers.vary, headers['content-length']]).toEqual([
      undefined,
      'Origin',
      expect.any(String),
    ])
    await server?.close()
  }
  expect(() => restRouter(running.service, { authenticate: () => ann, compression: true }).routes()).toThrow(
    "compression works only with respond: 'direct'",
  )
})

it('the entity tag of a compressed record is another one, and works in If-None-Match and If-Match', async () => {
  await start()
  const plain = (await ask('/Note/2')).headers.etag as string
  const tag = (await ask('/Note/2', gzip)).headers.etag as string
  expect(tag).toBe(plain.replace(/"$/, '-gzip"'))
  expect((await ask('/Note/2', gzip, 'HEAD')).headers.etag).toBe(tag)
  const known = await ask('/Note/2', { ...gzip, 'if-none-match': tag })
  expect([known.statusCode, known.body.length]).toEqual([304, 0])
  expect(known.headers).toMatchObject({ etag: tag, vary: 'Origin, Accept-Encoding' })
  expect((await ask('/Note/2', { 'if-none-match': tag })).headers.etag).toBe(plain)

  const json = { 'content-type': 'application/json' }
  const update = async (match: string, text: string) =>
    ask('/Note/2', { ...gzip, ...json, 'if-match': match }, 'PUT', JSON.stringify({ text }))
  const updated = await update(tag, `${long}.`)
  expect([updated.statusCode, updated.headers['content-encoding']]).toEqual([200, 'gzip'])
  expect((await update(tag, 'lost')).statusCode).toBe(412)
  expect((await update(plain, 'lost')).statusCode).toBe(412)
  expect((await update(updated.headers.etag as string, long)).statusCode).toBe(200)
})

/** Text that no compression makes much smaller, the same in every run. */
const noise = Array.from({ length: 400 }, (_, at) => hash('sha512', `${at}`, 'base64')).join('')
const batch = (at: number): readonly [{ row_id: string; text: string }] => [{ row_id: `${at}`, text: noise }]

/** Answers a search by these batches. */
function searching(batches: () => AsyncGenerator<readonly unknown[]>): Partial<BusinessObjects> {
  return { search: async () => batches() as never }
}

it.each([
  ['gzip', createGunzip],
  ['zstd', createZstdDecompress],
] as const)('a stream as %s is flushed, so that rows arrive as they are read', async (encoding, decompress) => {
  const gate = Promise.withResolvers<void>()
  await start(
    {},
    searching(async function* () {
      for (const at of [1, 2, 3, 4]) yield batch(at)
      await gate.promise
      yield batch(5)
    }),
  )
  const answer = await open('/Note/', { 'accept-encoding': encoding, accept: 'application/x-ndjson' })
  expect(answer.headers).toMatchObject({ 'content-encoding': encoding, 'transfer-encoding': 'chunked' })
  let text = ''
  const lines = answer.pipe(decompress()).on('data', (chunk: Buffer) => (text += chunk.toString()))
  await expect.poll(() => text.endsWith('"}')).toBe(true)
  expect(text.split('\n').map((line) => JSON.parse(line).row_id)).toEqual(['1', '2', '3', '4'])
  gate.resolve()
  await once(lines, 'end')
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([1, 2, 3, 4, 5].flatMap(batch))
})

it('a client that takes nothing stops the reading, and one that goes away ends it', async () => {
  let reads = 0
  let isOver = false
  await start(
    {},
    searching(async function* () {
      try {
        while (reads < 5000) yield batch(++reads)
      } finally {
        isOver = true
      }
    }),
  )
  const answer = await open('/Note/', gzip)
  let before = -1
  await expect.poll(() => before === (before = reads), { interval: 200 }).toBe(true)
  expect([isOver, reads < 5000]).toEqual([false, true])
  answer.destroy()
  await expect.poll(() => isOver).toBe(true)
  expect(reads).toBeLessThan(5000)
  // Koa reports a connection that ends with unread bytes.
  expect(errors.splice(0).every((error) => (error as NodeJS.ErrnoException).code === 'ECONNRESET')).toBe(true)
})

it('a failure in the middle of a stream cuts the connection', async () => {
  await start(
    {},
    searching(async function* () {
      for (const at of [1, 2, 3]) yield batch(at)
      throw new Error('The disk is gone.')
    }),
  )
  const answer = await open('/Note/', gzip)
  await expect(buffer(answer)).rejects.toThrow('aborted')
  expect(errors.splice(0)).toMatchObject([{ message: 'The disk is gone.' }])
})

it('a long answer is compressed in a stream, and the log has the bytes that were sent', async () => {
  const rows = Array.from({ length: 20 }, (_, at) => batch(at)[0])
  const sent: unknown[] = []
  await start(
    {
      authenticate(context) {
        context.res.once('close', () => sent.push(context.state['bytes']))
        return ann
      },
    },
    searching(async function* () {
      yield rows
    }),
  )
  const answer = await ask('/Note/?_page=0', { 'accept-encoding': 'br' })
  expect(JSON.parse(answer.text)).toEqual(rows)
  await expect.poll(() => sent).toEqual([answer.body.length])
})
