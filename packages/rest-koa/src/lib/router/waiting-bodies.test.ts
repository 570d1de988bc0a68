import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import {
  ByteBudget,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  systemPrincipal,
  createRights,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { connectTo, serve, type RawConnection, type TestServer } from '../testing/serve.js'
import { readBytes } from './body.js'
import { restRouter } from './rest-router.js'

const kib = 2 ** 10
const mib = 2 ** 20

const Note = defineObject({
  name: 'Note',
  fields: { not_code: { type: 'string', key: true }, not_text: { type: 'text' } },
  actions: { shout: { scope: 'global', run: () => 'loud' }, whisper: { run: () => 'quiet', groups: ['BOSS'] } },
})
const model = createModel([Note])
const budget = new ByteBudget({ total: 4 * mib, perUser: 2 * mib, answer: mib, waitMs: 200 })
let server: TestServer

beforeAll(async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const app = new Koa()
  app.silent = true
  app.use(
    restRouter(service, {
      memory: budget,
      respond: 'direct',
      authenticate: ({ req }) => {
        const login = String(req.headers['x-user'])
        const grants = { nob: [], red: [{ object: 'Note', letters: 'R' }], act: [{ object: 'Note', letters: 'A' }] }
        const given = grants[login as keyof typeof grants]
        return given ? createPrincipal({ login, rights: createRights(model, given, {}) }) : systemPrincipal({ login })
      },
    }).routes(),
  )
  server = await serve(app)
})
afterAll(() => server.close())

/** Sends the head of a request, and a part of its body. */
async function start(method: string, path: string, user: string, length: number, part: number): Promise<RawConnection> {
  const connection = await connectTo(server.port)
  const head = [`${method} /api/rest${path} HTTP/1.1`, 'Host: x', `X-User: ${user}`, 'Content-Type: application/json']
  connection.send([...head, `Content-Length: ${length}`, '', ''].join('\r\n'))
  connection.send(`{"not_code":"${user}","not_text":"`.padEnd(part, 'x'))
  return connection
}

it.each([
  ['POST', '/Note', 'nob'],
  ['POST', '/Note', 'red'],
  ['PUT', '/Note/1', 'red'],
  ['PUT', '/Note/_key/a', 'red'],
  ['POST', '/Note/_batch', 'red'],
  ['POST', '/Note/_batch?_atomic=false', 'red'],
  ['POST', '/Note/_search', 'nob'],
  ['POST', '/Note/action:shout', 'red'],
  ['POST', '/Note/1/action:whisper', 'act'],
])('%s %s of %s, who has no right to it, is answered 403 before its body has come', async (method, path, user) => {
  const connection = await start(method, path, user, 10 * mib, 100)
  expect(await connection.until(/\r\n\r\n\{.*\}/s)).toMatch(/^HTTP\/1.1 403 /)
  expect(budget.used).toBe(0)
  connection.socket.destroy()
})

it('a body for an object that does not exist is not waited for', async () => {
  const connection = await start('POST', '/None', 'nob', 10 * mib, 100)
  expect(await connection.until(/\r\n\r\n\{.*\}/s)).toMatch(/^HTTP\/1.1 404 /)
  connection.socket.destroy()
})

it('bodies that wait have a part of the memory per user, by what has come of them', async () => {
  const length = 8 * mib
  const waiting = await Promise.all([1, 2].map(() => start('POST', '/Note', 'ann', length, mib)))
  await expect.poll(() => budget.usedBy('ann')).toBe(2 * mib)
  const refused = await start('POST', '/Note', 'ann', length, mib)
  const answer = await refused.end()
  expect(answer).toMatch(/^HTTP\/1.1 503 /)
  expect(answer).toMatch(/\r\nRetry-After: 5\r\n/)
  expect(answer).toMatch(/memory/)
  const other = await start('POST', '/Note', 'bob', 300 * kib, 300 * kib - 2)
  other.send('"}')
  expect(await other.until(/\r\n\r\n\{.*/s)).toMatch(/^HTTP\/1.1 200 /)
  other.socket.destroy()
  for (const { socket } of waiting) socket.destroy()
  await expect.poll(() => budget.used).toBe(0)
})

it('a body that waits for memory is read on when others have gone', async () => {
  const slow = new ByteBudget({ total: mib, perUser: mib, answer: mib, waitMs: 60_000 })
  const held = slow.open('ann')
  await held.hold(mib)
  const body = new PassThrough()
  const req = Object.assign(body, { headers: {} }) as unknown as IncomingMessage
  const reading = readBytes(req, { bytes: mib, memory: () => slow.open('bob') })
  body.end(Buffer.alloc(200 * kib))
  await expect.poll(() => body.isPaused()).toBe(true)
  held.release()
  expect((await reading).length).toBe(200 * kib)
})

it('a body whose client sends nothing for too long is given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const body = new PassThrough()
    const req = Object.assign(body, { headers: {} }) as unknown as IncomingMessage
    const reading = readBytes(req, { bytes: mib, silenceMs: 1000 })
    const outcome = reading.catch((error: unknown) => error)
    body.write('{')
    await vi.advanceTimersByTimeAsync(900)
    body.write('"a":')
    await vi.advanceTimersByTimeAsync(900)
    body.write('1')
    await vi.advanceTimersByTimeAsync(1100)
    expect(await outcome).toMatchObject({ code: 'ERR_TIMEOUT', status: 408 })
  } finally {
    vi.useRealTimers()
  }
})
