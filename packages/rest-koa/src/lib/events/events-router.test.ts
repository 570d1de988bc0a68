import { once } from 'node:events'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import { createEventHub, systemObjects } from '@steward/rest-core/system'
import type { EventHub, EventRecord } from '@steward/rest-core/system'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { connectTo, serve } from '../testing/serve.js'
import { eventsRouter } from './events-router.js'
import type { EventsRouterOptions } from './events-router.js'

const Note = defineObject({ name: 'Note', events: true, fields: { not_text: { type: 'string' } } })

/** Events without end, as fast as they are read. */
function endless(): EventHub & { readonly reads: () => number } {
  const rowId = 'x'.repeat(1000)
  const end = new AbortController()
  let reads = 0
  return {
    reads: () => reads,
    start() {},
    notify() {},
    last: async () => 0,
    known: () => Infinity,
    async read(after): Promise<EventRecord[]> {
      reads++
      return Array.from({ length: 200 }, (_, at) => {
        return { number: after + at + 1, object: 'Note', rowId, action: 'create', time: '', login: 'ann' }
      })
    },
    next: async () => {},
    closed: end.signal,
    close: async () => end.abort(),
  }
}

it('a client that takes nothing is not read for, and is cut', async () => {
  const service = createBusinessObjects({ model: createModel([...systemObjects, Note]), store: createMemoryStore() })
  const hub = endless()
  const app = new Koa()
  app.use(eventsRouter(service, hub, { authenticate: () => systemPrincipal({ login: 'ann' }), drainMs: 100 }).routes())
  const server = await serve(app)
  const connected = once(server.server, 'connection')
  const { socket, send } = await connectTo(server.port)
  socket.pause()
  await connected
  send('GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n')
  // What lies in buffers of the system is all that was read for it.
  await expect.poll(() => new Promise((resolve) => server.server.getConnections((_, count) => resolve(count)))).toBe(0)
  const reads = hub.reads()
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThan(200)
  const closed = once(socket, 'close')
  socket.resume()
  await closed
  expect(hub.reads()).toBe(reads)
  await server.close()
})

/** A hub without events; its first answers wait for `open`. */
function silent() {
  const opened = Promise.withResolvers<void>()
  const end = new AbortController()
  let asked = 0
  const hub: EventHub = {
    start() {},
    notify() {},
    async last() {
      asked++
      await opened.promise
      return 0
    },
    known: () => 0,
    read: async () => [],
    next: (_after, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    closed: end.signal,
    close: async () => end.abort(),
  }
  return { hub, open: opened.resolve, asked: () => asked }
}

async function serveEvents(hub: EventHub, options: Partial<EventsRouterOptions>) {
  const service = createBusinessObjects({ model: createModel([...systemObjects, Note]), store: createMemoryStore() })
  const app = new Koa()
  app.use(eventsRouter(service, hub, { authenticate: () => systemPrincipal({ login: 'ann' }), ...options }).routes())
  const server = await serve(app)
  const connections = () => new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)))
  return { ...server, connections }
}

it('an event that comes while the last ones are looked for is sent as such', async () => {
  const model = createModel([...systemObjects, Note])
  const store = createMemoryStore()
  const hub = createEventHub({ model, store, pollMs: 5 })
  hub.start()
  const service = createBusinessObjects({ model, store, onChange: () => hub.notify() })
  const ann = systemPrincipal({ login: 'ann' })
  let isLate = true
  const late: EventHub = {
    ...hub,
    async read(after) {
      const events = await hub.read(after)
      if (!isLate) return events
      isLate = false
      await service.create(ann, 'Note', { not_text: 'late' })
      await hub.next(after, hub.closed)
      return events
    },
  }
  const app = new Koa()
  app.use(eventsRouter(service, late, { authenticate: () => ann }).routes())
  const server = await serve(app)
  const { socket, send, until } = await connectTo(server.port)
  send(request)
  expect(await until(/"action":"create"|event: gap/)).not.toContain('event: gap')
  socket.destroy()
  await hub.close()
  await server.close()
})

const request = 'GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n'

it('a client that goes while its stream opens keeps no place, whatever the database does', async () => {
  const { hub, open, asked } = silent()
  const server = await serveEvents(hub, { streamsPerUser: 1 })
  for (let number = 1; number <= 3; number++) {
    const { socket, send } = await connectTo(server.port)
    send(request)
    await expect.poll(asked).toBe(number)
    socket.destroy()
    await expect.poll(server.connections).toBe(0)
  }
  // The database is still silent; the one that stays gets its stream when it answers.
  const { send, until } = await connectTo(server.port)
  send(request)
  await expect.poll(asked).toBe(4)
  open()
  await until(/200 OK[^]*retry: /)
  await server.close()
})

it('a client that goes while it is authenticated keeps no place', async () => {
  const { hub, open } = silent()
  open()
  let gone: Promise<unknown> | undefined
  const server = await serveEvents(hub, {
    streamsPerUser: 1,
    async authenticate(context) {
      gone ??= new Promise((resolve) => context.req.socket.once('close', resolve))
      await gone
      return systemPrincipal({ login: 'ann' })
    },
  })
  const { socket, send } = await connectTo(server.port)
  send(request)
  await expect.poll(() => gone !== undefined).toBe(true)
  socket.destroy()
  await gone
  const other = await connectTo(server.port)
  other.send(request)
  await other.until(/200 OK[^]*retry: /)
  await server.close()
})

it('streams that wait for their turn on one connection end with it', async () => {
  const { hub, open, asked } = silent()
  open()
  const server = await serveEvents(hub, { streamsPerUser: 3 })
  const { socket, send, until } = await connectTo(server.port)
  send(request.repeat(3))
  await until(/retry: /)
  await expect.poll(asked).toBe(3)
  socket.destroy()
  await expect.poll(server.connections).toBe(0)
  for (let number = 0; number < 3; number++) {
    const other = await connectTo(server.port)
    other.send(request)
    await other.until(/200 OK[^]*retry: /)
  }
  await server.close()
})
