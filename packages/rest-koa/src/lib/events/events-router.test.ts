import { once } from 'node:events'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  createPrincipal,
  defineObject,
} from '@steward/rest-core'
import { systemObjects } from '@steward/rest-core/system'
import type { EventHub, EventRecord } from '@steward/rest-core/system'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { connectTo, serve } from '../testing/serve.js'
import { eventsRouter } from './events-router.js'

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
  app.use(eventsRouter(service, hub, { authenticate: () => createPrincipal({ login: 'ann' }), drainMs: 100 }))
  const server = await serve(app)
  const { socket, send } = await connectTo(server.port)
  socket.pause()
  send('GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n')
  // What lies in buffers of the system is all that was read for it.
  await expect.poll(() => new Promise((resolve) => server.server.getConnections((_, count) => resolve(count)))).toBe(1)
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
