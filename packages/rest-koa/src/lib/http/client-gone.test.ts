import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import {
  ByteBudget,
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import type { Context } from 'koa'
import { afterEach, expect, it } from 'vitest'
import { createObjectPool } from '../limits/object-pool.js'
import { restRouter } from '../router/rest-router.js'
import { jsonLines, streamRows } from '../router/stream-rows.js'
import { connectTo, serve } from '../testing/serve.js'
import { clientGone } from './client-gone.js'
import { sendContent } from './send-content.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Serves a middleware; `ended` counts the requests that it is done with. */
async function start(work: (context: Context) => Promise<void>) {
  const state = { ended: 0, errors: [] as unknown[] }
  const app = new Koa()
  app.silent = true
  app.use(async (context) => {
    await work(context).catch((error: unknown) => state.errors.push(error))
    state.ended++
  })
  const server = await serve(app)
  closing.push(() => server.close())
  const send = async (request: string) => {
    const connection = await connectTo(server.port)
    connection.send(request)
    return connection
  }
  return { state, send, port: server.port }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Waits until the client of this answer has gone. */
const closed = ({ req: { socket } }: Context) =>
  new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())))

it('clientGone() of a client that went before is aborted at once', async () => {
  const signals: boolean[] = []
  const { state, send } = await start(async (context) => {
    context.respond = false
    await closed(context)
    signals.push(clientGone(context).aborted)
  })
  const { socket } = await send(get)
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
  socket.destroy()
  await expect.poll(() => state.ended).toBe(1)
  expect(signals).toEqual([true])
})

it('clientGone() of an answer that waits for an earlier one is aborted when the connection ends', async () => {
  const signals: AbortSignal[] = []
  const { send } = await start(async (context) => {
    context.respond = false
    signals.push(clientGone(context))
  })
  const { socket } = await send(get + get)
  await expect.poll(() => signals.length).toBe(2)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  socket.destroy()
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

it('a stream that has no bytes yet is given up when the client goes', async () => {
  const stream = new Readable({ read() {} })
  const { state, send } = await start((context) => sendContent(context, 'direct', 200, [], { stream }))
  const { socket } = await send(get)
  await expect.poll(() => stream.listenerCount('readable')).toBe(1)
  socket.destroy()
  await expect.poll(() => state.ended).toBe(1)
  expect([stream.destroyed, state.errors]).toEqual([true, []])
})

it('a stream is given up when the client went while it was opened', async () => {
  const stream = Readable.from([Buffer.from('never')])
  const { state, send } = await start(async (context) => {
    await closed(context)
    await sendContent(context, 'direct', 200, [], { stream })
  })
  const { socket } = await send(get)
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
  socket.destroy()
  await expect.poll(() => state.ended).toBe(1)
  expect([stream.destroyed, state.errors]).toEqual([true, []])
})

it('rows are no longer read when a client of HTTP/2 went while the store was asked', async () => {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let batches = 0
  let released = false
  async function* rows() {
    try {
      for (;;) {
        if (batches++ === 2) {
          asked.resolve()
          await answered.promise
        }
        yield ['x'.repeat(100_000)]
      }
    } finally {
      released = true
    }
  }
  const app = new Koa()
  app.silent = true
  app.use(async (context) => {
    context.res.once('close', () => setImmediate(answered.resolve))
    await streamRows(context, 'direct', rows(), jsonLines, { memory: new ByteBudget().open('ann') })
  })
  const server = createServer(app.callback())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  closing.push(
    () => client.destroy(),
    () => server.close(),
  )
  const stream = client.request({ ':path': '/' }).resume()
  stream.on('error', () => {})
  await asked.promise
  stream.close(8)
  await expect.poll(() => released).toBe(true)
  expect(batches).toBeLessThan(5)
})

it('a body whose client went before it was read ends its request, and its place in the pool', async () => {
  const Note = defineObject({ name: 'Note', fields: { not_text: { type: 'string' } } })
  const service = createBusinessObjects({ model: createModel([Note]), store: createMemoryStore() })
  const ann = systemPrincipal({ login: 'ann' })
  const places = { taken: 0, left: 0 }
  const router = restRouter(service, {
    async authenticate(context) {
      await closed(context)
      return ann
    },
    pool: {
      async run(_context, _principal, _object, work) {
        places.taken++
        await work().finally(() => places.left++)
      },
    },
  }).routes()
  const { state, send } = await start((context) => router(context, async () => {}) as Promise<void>)
  const head =
    'POST /api/rest/Note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
  const { socket } = await send(`${head}{"not_text":`)
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
  socket.destroy()
  await expect.poll(() => state.ended).toBe(1)
  expect(places).toEqual({ taken: 1, left: 1 })
})

it('a call whose client went before it could wait does not wait for a place', async () => {
  const asked = Promise.withResolvers<void>()
  const parameters = {
    isYes: async () => true,
    number: async () => {
      await asked.promise
      return 1
    },
  }
  const pool = createObjectPool({ parameters: parameters as never, waitMs: 3_600_000 })
  const ann = systemPrincipal({ login: 'ann' })
  const working = Promise.withResolvers<void>()
  let started = 0
  const { state, send } = await start((context) =>
    pool.run(context, ann, 'Note', async () => {
      started++
      context.respond = false
      await working.promise
      context.res.end()
    }),
  )
  await send(get)
  const { socket } = await send(get)
  await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
  socket.destroy()
  await once(socket, 'close')
  // Long enough for the server to hear of it: the other one has started by then.
  await expect.poll(() => state.ended + started).toBe(0)
  asked.resolve()
  await expect.poll(() => state.ended).toBe(1)
  expect(started).toBe(1)
  working.resolve()
  await expect.poll(() => state.ended).toBe(2)
})
