import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { sendEvents } from './send-events.js'

it('sendEvents() answers before there is an event', async () => {
  const end = Promise.withResolvers<void>()
  async function* events() {
    await end.promise
    yield { event: 'end', data: 0 }
  }
  const app = new Koa()
  app.use((context) => sendEvents(context, events()))
  const server = createServer(app.callback() as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  // Not with the first heartbeat.
  expect(first.toString()).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n$/)
  expect(first.toString()).not.toContain(':\n\n')
  end.resolve()
  socket.destroy()
  server.close()
})

it('sendEvents() gives its events back when the client went before there was one', async () => {
  const gone = Promise.withResolvers<void>()
  let released = false
  async function* events() {
    try {
      await gone.promise
      // More than the connection takes at once.
      for (;;) yield { event: 'line', data: 'x'.repeat(1_000_000) }
    } finally {
      released = true
    }
  }
  const app = new Koa()
  app.use(async (context) => {
    context.res.once('close', () => setImmediate(gone.resolve))
    await sendEvents(context, events())
  })
  const server = createServer(app.callback() as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  socket.destroy()
  await expect.poll(() => released).toBe(true)
  server.close()
})
