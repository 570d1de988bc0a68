import Koa from 'koa'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listen, type ListenOptions } from './serve.js'

/** What Node waits longer than it says. */
const bufferMs = 1000

async function start(options: Partial<ListenOptions> = {}) {
  const listener = await listen({ host: '127.0.0.1', port: 0, ...options })
  onTestFinished(() => listener.stop())
  const koa = new Koa()
  koa.use((ctx) => {
    ctx.body = `answer to ${ctx.path}`
  })
  listener.serve(koa)
  return listener
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`

async function client(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return { socket, received: textOf(socket) }
}

function textOf(socket: Socket): () => string {
  let text = ''
  socket.on('data', (data) => (text += data.toString()))
  socket.on('error', (error) => (text += `[${error.message}]`))
  socket.on('close', () => (text += '[closed]'))
  return () => text
}

/** All of this process stands still, as in a pause: the server has read nothing of what was sent. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('a connection is kept longer than reverse proxies keep theirs', async () => {
  const { port } = await start()
  const { socket, received } = await client(port)
  socket.write(get('/'))
  await expect.poll(received).toContain('Keep-Alive: timeout=75\r\n')
})

test('a request is answered that was sent in a pause longer than its connection may be idle', async () => {
  const { port } = await start({ keepAliveMs: 50 })
  const { socket, received } = await client(port)
  socket.write(get('/one'))
  await expect.poll(received, { interval: 1 }).toContain('answer to /one')
  // What comes after a turn of the event loop are timers, then what is to be read: as after a pause.
  await turn()
  socket.write(get('/two'))
  standStill(bufferMs + 200)
  await expect.poll(received).toContain('answer to /two')
  await expect.poll(received).toMatch(/\[closed\]$/)
  expect(received()).not.toContain('ECONNRESET')
})

test('requests are answered that were sent before it was asked to stop, on old and on new connections', async () => {
  const listener = await start()
  const old = await client(listener.port)
  old.socket.write(get('/one'))
  await expect.poll(old.received).toContain('answer to /one')
  const fresh = await client(listener.port)
  old.socket.write(get('/two'))
  fresh.socket.write(get('/new'))
  const stopped = listener.stop()
  await expect.poll(old.received).toMatch(/Connection: close[^]*answer to \/two\[closed\]$/)
  await expect.poll(fresh.received).toMatch(/Connection: close[^]*answer to \/new\[closed\]$/)
  await stopped
})
