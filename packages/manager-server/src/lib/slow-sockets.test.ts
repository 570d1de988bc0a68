import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { limitServer, serverLimits } from './server-limits.js'

const get = 'GET /api HTTP/1.1\r\nHost: x\r\n'

async function limited(lingerMs: number, answer: RequestListener = (_request, response) => response.end('fine')) {
  const limits = { ...serverLimits, connectionsCheckingInterval: 20 }
  const server = createServer(limits, answer)
  limitServer(server, { lingerMs })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  /** From now on every request takes too long. */
  const haste = () => Object.assign(server, { headersTimeout: 1, requestTimeout: 1 })
  return { port: (server.address() as AddressInfo).port, sockets, haste }
}

function client(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** With all that it has received so far. */
function listener(port: number) {
  const socket = client(port)
  let told = ''
  socket.setEncoding('utf8').on('data', (piece: string) => (told += piece))
  return { socket, told: () => told }
}

/** Nothing else happens meanwhile, as when the machine has no time for the process. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

it('limitServer() destroys the sockets of clients that keep sending after 408 and never close', async () => {
  const { port, sockets, haste } = await limited(100)
  haste()
  const clients = Array.from({ length: 20 }, () => {
    const { socket, told } = listener(port)
    socket.write(get)
    const timer = setInterval(() => socket.write('X-Slow: a\r\n'), 20)
    onTestFinished(() => clearInterval(timer))
    return told
  })
  await expect.poll(() => clients.every((told) => told().startsWith('HTTP/1.1 408 '))).toBe(true)
  await expect.poll(() => sockets.size).toBe(0)
})

it('limitServer() answers a client that sends much and reads late what was wrong', async () => {
  const { port, sockets } = await limited(60_000)
  const socket = client(port).pause()
  for (let piece = 0; piece < 200; piece++)
    await new Promise<void>((resolve, reject) =>
      socket.write('x'.repeat(100_000), (error) => (error ? reject(error) : resolve())),
    )
  socket.end()
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /)
  await expect.poll(() => sockets.size).toBe(0)
})

it.each([
  ['a request', '', `${get}\r\n`],
  ['the rest of its headers', get, '\r\n'],
  ['the rest of its body', `${get}Content-Length: 50000\r\n\r\n`, 'x'.repeat(50_000)],
])('limitServer() answers %s that was sent before a pause of the process', async (_, first, second) => {
  const { port, sockets, haste } = await limited(60_000, (request, response) => {
    request.resume().on('end', () => response.end('fine'))
  })
  const clients = Array.from({ length: 10 }, () => listener(port))
  // One answer of each was given before.
  for (const { socket } of clients.slice(5)) socket.write(`${get}\r\n`)
  await expect.poll(() => clients.slice(5).every(({ told }) => told().endsWith('fine'))).toBe(true)
  await expect.poll(() => sockets.size).toBe(10)
  for (const { socket } of clients) socket.write(first)
  await expect.poll(() => [...sockets].filter(({ bytesRead }) => bytesRead >= first.length)).toHaveLength(10)
  // After a pause in this phase of the loop timers come before what was sent.
  await turn()
  for (const { socket } of clients) socket.write(second)
  haste()
  stall(100)
  await expect
    .poll(() => clients.map(({ told }) => told().replace(/HTTP.*?\r\n\r\n/gs, '.')))
    .toEqual([...Array.from({ length: 5 }, () => '.fine'), ...Array.from({ length: 5 }, () => '.fine.fine')])
})
