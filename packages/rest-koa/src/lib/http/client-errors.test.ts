import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import Koa from 'koa'
import { connectTo, serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { answerClientErrors, sendRefusal, whyMalformed } from './client-errors.js'

let server: TestServer
const sockets = new Set<Socket>()
beforeEach(async () => {
  const app = new Koa()
  app.use((context) => {
    const wrong = whyMalformed(context.req)
    context.respond = false
    if (wrong === undefined) context.req.resume().on('end', () => context.res.end('fine'))
    else sendRefusal(context.res, 'ERR_BAD_REQUEST', wrong)
  })
  server = await serve(app, { connectionsCheckingInterval: 20 })
  answerClientErrors(server.server)
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
})
afterEach(() => server.close())

/** From now on every request takes too long. */
const haste = () => Object.assign(server.server, { headersTimeout: 1, requestTimeout: 1 })
const get = 'GET / HTTP/1.1\r\nHost: x\r\n'

it.each([
  ['headers that are too large', `${get}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'ERR_HEADERS'],
  ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'ERR_HEADERS'],
  ['what is no HTTP', 'hello\r\n\r\n', 400, 'ERR_BAD_REQUEST'],
  ['another version', 'GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400, 'ERR_BAD_REQUEST'],
  ['two lengths', `${get}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'ERR_BAD_REQUEST'],
  ['two hosts', `${get}Host: y\r\n\r\n`, 400, 'ERR_BAD_REQUEST'],
  ['no version', 'GET /\r\n\r\n', 400, 'ERR_BAD_REQUEST'],
  ['an expectation that nobody meets', `${get}Expect: miracles\r\n\r\n`, 417, 'ERR_EXPECTATION'],
])('%s: is answered in the error form, and the connection ends', async (_, request, status, code) => {
  const connection = await connectTo(server.port)
  connection.send(request)
  const [head = '', body = ''] = (await connection.end()).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(head).toMatch(/x-request-id: [\da-f-]{36}/i)
  expect(JSON.parse(body)).toEqual({ error: expect.any(String) as string, status, code, messages: [] })
})

it('a sound request is served, also after others on the connection', async () => {
  const connection = await connectTo(server.port)
  connection.send(`${get}\r\n`)
  await connection.until(/fine/)
  connection.send('nonsense\r\n\r\n')
  expect(await connection.end()).toMatch(/fine.*400 Bad Request/s)
})

it('a client that keeps sending after its headers were refused is cut off', async () => {
  const connection = await connectTo(server.port)
  connection.send(`${get}X: ${'x'.repeat(20_000)}`)
  await connection.until(/ERR_HEADERS/)
  const sending = setInterval(() => connection.send('more'), 20)
  await connection.end()
  clearInterval(sending)
  await expect.poll(() => sockets.size).toBe(0)
})

it('a client that sends much and reads late learns what was wrong', async () => {
  // However long it takes.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { socket, end } = await connectTo(server.port)
  socket.pause()
  // More than the system keeps on its way: the server has to read it.
  for (let piece = 0; piece < 200; piece++)
    await new Promise<void>((resolve, reject) =>
      socket.write('x'.repeat(100_000), (error) => (error ? reject(error) : resolve())),
    )
  socket.end().resume()
  expect(await end()).toMatch(/^HTTP\/1\.1 400 /)
})

it('a request that takes too long is refused with 408', async () => {
  const connection = await connectTo(server.port)
  connection.send(get)
  haste()
  expect(await connection.end()).toMatch(/^HTTP\/1\.1 408 [^]*ERR_TIMEOUT/)
})

it.each([
  ['a request', '', `${get}\r\n`],
  ['the rest of its headers', get, '\r\n'],
  ['the rest of its body', `${get}Content-Length: 50000\r\n\r\n`, 'x'.repeat(50_000)],
])('%s that was sent before a pause of the process is answered', async (_, first, second) => {
  const connections = await Promise.all(Array.from({ length: 10 }, () => connectTo(server.port)))
  await expect.poll(() => sockets.size).toBe(10)
  for (const { send } of connections) send(first)
  await expect.poll(() => [...sockets].filter(({ bytesRead }) => bytesRead >= first.length)).toHaveLength(10)
  // After a pause in this phase of the loop timers come before what was sent.
  await turn()
  for (const { send } of connections) send(second)
  haste()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  for (const { until } of connections) expect(await until(/fine|ERR_TIMEOUT/)).toMatch(/fine$/)
})
