import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrincipal, systemPrincipal, createRights, defineObject } from '@steward/rest-core'
import type { BusinessObjects, Filter, Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { createEventHub, createWebhookDispatcher, prepareWebhooks, systemObjects } from '@steward/rest-core/system'
import type { EventHub, WebhookDispatcher } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { eventsRouter } from '../events/events-router.js'
import { createWebhookSender } from '../events/webhook-sender.js'
import { openEventSource } from './event-source.js'
import type { EventSourceForTest } from './event-source.js'
import { restRouter } from '../router/rest-router.js'
import type { RunningService, StartService } from './running-service.js'
import { serve } from './serve.js'
import type { TestServer } from './serve.js'

const Note = defineObject({
  name: 'Note',
  table: 'event_note',
  events: true,
  fields: { not_text: { type: 'string', length: 100 }, not_open: { type: 'boolean' } },
})
const Memo = defineObject({
  name: 'Memo',
  table: 'event_memo',
  events: true,
  fields: { mem_text: { type: 'string', length: 100 } },
})
const Seat = defineObject({
  name: 'Seat',
  table: 'event_seat',
  events: true,
  fields: {
    row_id: { type: 'id', fields: ['sea_memo', 'sea_code'] },
    sea_memo: { type: 'reference', object: 'Memo' },
    sea_code: { type: 'string', length: 20 },
    sea_text: { type: 'string', length: 100 },
  },
})
const Quiet = defineObject({ name: 'Quiet', table: 'event_quiet', fields: { qui_text: { type: 'string' } } })

const pollMs = 10
const whk_secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

/** Events as a stream and by webhooks, the same on every store. */
export function testEvents(startService: StartService): void {
  let running: RunningService
  let service: BusinessObjects
  let hub: EventHub
  let server: TestServer
  const boss = systemPrincipal({ login: 'boss' })
  const users = new Map<string, Principal>([['boss', boss]])
  const open: EventSourceForTest[] = []

  beforeAll(async () => {
    running = await startService([...systemObjects, Note, Memo, Seat, Quiet])
    service = running.service
    hub = createEventHub({ model: service.model, store: running.store, pollMs })
    hub.start()
    const app = new Koa()
    app.silent = true
    app.use(
      eventsRouter(service, hub, {
        authenticate: ({ req }) => {
          const user = users.get(String(req.headers['x-user'] ?? 'boss'))
          if (!user) throw new RestError('ERR_CREDENTIALS', 'Who are you?')
          return user
        },
        heartbeatMs: 100,
        streamsPerUser: 3,
      }).routes(),
    )
    app.use(restRouter(service, { authenticate: () => boss }).routes())
    server = await serve(app)
    users.set('eve', userWith([{ object: 'Note', letters: 'R', filter: 'not_open = true' }]))
    users.set('nil', userWith([]))
  })
  afterEach(async () => {
    for (const source of open.splice(0)) {
      source.close()
      await source.ended
    }
  })
  afterAll(async () => {
    await hub?.close()
    await server?.close()
    await running?.close()
  })

  function userWith(grants: Parameters<typeof createRights>[1]): Principal {
    return createPrincipal({ login: 'eve', userId: '2', rights: createRights(service.model, grants, {}) })
  }

  async function listen(query = '', headers: Record<string, string> = {}): Promise<EventSourceForTest> {
    const source = await openEventSource(`${server.url}/api/events${query}`, headers)
    open.push(source)
    // What is written from now on is reported.
    if (source.response.ok) await expect.poll(() => source.lastEventId()).not.toBe('')
    return source
  }

  const note = (text: string, isOpen = false) => service.create(boss, 'Note', { not_text: text, not_open: isOpen })

  it('every committed change is reported once, in order, with its id', async () => {
    const source = await listen()
    expect(source.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const { row_id: id } = await note('a')
    await service.update(boss, 'Note', id, { not_text: 'b' })
    await service.create(boss, 'Quiet', { qui_text: 'not told' })
    await service.delete(boss, 'Note', id)
    await expect.poll(() => source.events.length).toBe(3)
    expect(source.events.map(({ data }) => data)).toEqual(
      ['create', 'update', 'delete'].map((action) => ({
        object: 'Note',
        row_id: id,
        action,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        login: 'boss',
      })),
    )
    const ids = source.events.map((event) => Number(event.id))
    expect(ids).toEqual([ids[0], Number(ids[0]) + 1, Number(ids[0]) + 2])
  })

  it('who comes again misses nothing, by header and by parameter', async () => {
    const source = await listen()
    const before = source.lastEventId()
    source.close()
    await note('one')
    await note('two')
    for (const again of [await listen('', { 'last-event-id': before }), await listen(`?lastEventId=${before}`)]) {
      await expect.poll(() => again.events.length).toBe(2)
      expect(again.events.map(({ id }) => Number(id))).toEqual([Number(before) + 1, Number(before) + 2])
    }
  })

  it('transactions that commit in another order than they wrote are all reported, once', async () => {
    const source = await listen()
    const other = createEventHub({ model: service.model, store: running.store, pollMs })
    other.start()
    const ids: string[] = []
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        service.transaction(async (inside) => {
          for (let part = 0; part < 3; part++)
            ids.push((await inside.create(boss, 'Note', { not_text: `${n}.${part}` })).row_id)
          await new Promise((resolve) => setTimeout(resolve, (n * 7) % 20))
        }),
      ),
    )
    await expect.poll(() => source.events.length).toBe(36)
    await other.close()
    expect(source.events.map(({ data }) => data.row_id).toSorted()).toEqual(ids.toSorted())
    const numbers = source.events.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.map((_, at) => Number(numbers[0]) + at))
  })

  it('objects can be chosen', async () => {
    const source = await listen('?object=Memo')
    const both = await listen('?object=Note,Memo')
    await note('not told')
    await service.create(boss, 'Memo', { mem_text: 'told' })
    await expect.poll(() => both.events.length).toBe(2)
    await expect.poll(() => source.events.map(({ data }) => data.object)).toEqual(['Memo'])
  })

  it('a user receives only what can be read', async () => {
    const source = await listen('', { 'x-user': 'eve' })
    const all = await listen()
    const { row_id: hidden } = await note('hidden')
    await service.create(boss, 'Memo', { mem_text: 'hidden' })
    const { row_id: shown } = await note('shown', true)
    await service.update(boss, 'Note', hidden, { not_open: true })
    await expect.poll(() => all.events.length).toBe(4)
    // It comes last; its creation is reported, too, when it could be read by then.
    const told = () => source.events.map(({ data }) => data)
    await expect.poll(() => told().at(-1)).toMatchObject({ row_id: hidden, action: 'update' })
    expect(new Set(told().map(({ object }) => object))).toEqual(new Set(['Note']))
    expect(told().map(({ row_id: id }) => id)).toContain(shown)
  })

  it('a stream follows the rights of its user, and ends with the credentials', async () => {
    users.set('tom', userWith([{ object: 'Note', letters: 'R' }]))
    const source = await listen('', { 'x-user': 'tom' })
    await note('first')
    await expect.poll(() => source.events.length).toBe(1)
    users.set('tom', userWith([{ object: 'Memo', letters: 'R' }]))
    await note('second')
    await service.create(boss, 'Memo', { mem_text: 'third' })
    await expect.poll(() => source.events.map(({ data }) => data.object)).toEqual(['Note', 'Memo'])
    users.delete('tom')
    await source.ended
  })

  it('a gap is reported when events that were missed are no longer kept', async () => {
    const source = await listen()
    const { row_id: old } = await note('old')
    // It has its number then.
    await expect.poll(() => source.events.some(({ data }) => data.row_id === old)).toBe(true)
    const last = Number(source.lastEventId())
    const object = service.model.object('Event')
    for await (const batch of running.store.search(object, { select: object.select([]), order: object.order }))
      for (const { row_id: id } of batch) await running.store.delete(object, id)
    // This hub has them in memory still; another process has not.
    const fresh = createEventHub({ model: service.model, store: running.store, pollMs })
    fresh.start()
    const app = new Koa()
    app.use(eventsRouter(service, fresh, { authenticate: () => boss }).routes())
    const other = await serve(app)
    const again = await openEventSource(`${other.url}/api/events`, { 'last-event-id': `${last - 1}` })
    await note('new')
    await expect.poll(() => again.events.length).toBe(2)
    expect(again.events).toMatchObject([
      { type: 'gap', id: `${last}`, data: { from: last, to: last } },
      { type: 'message', id: `${last + 1}` },
    ])
    await fresh.close()
    await again.ended
    await other.close()
  })

  it('wrong requests are refused', async () => {
    for (const [query, headers, status] of [
      ['?object=Nope', {}, 404],
      ['?object=Quiet', {}, 400],
      ['?object=Memo', { 'x-user': 'eve' }, 404],
      ['?object=', {}, 404],
      ['?lastEventId=x', {}, 400],
      ['?nope=1', {}, 400],
      ['', { 'last-event-id': '-1' }, 400],
      ['', { 'x-user': 'nobody' }, 401],
    ] as const) {
      const { response } = await listen(query, headers)
      expect([query, response.status]).toEqual([query, status])
    }
    const posted = await fetch(`${server.url}/api/events`, { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it('a user has a limited number of streams', async () => {
    for (let count = 0; count < 3; count++) await listen('', { 'x-user': 'nil' })
    const { response } = await listen('', { 'x-user': 'nil' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
    open[0]?.close()
    await expect.poll(async () => (await listen('', { 'x-user': 'nil' })).response.status).toBe(200)
  })

  it('the row id of several fields is reported as it stands in addresses', async () => {
    const source = await listen('?object=Seat')
    const { row_id: memo } = await service.create(boss, 'Memo', { mem_text: 'of seats' })
    const { row_id: id } = await service.create(boss, 'Seat', { sea_memo: memo, sea_code: 'a~b/ü?' })
    expect(id).toBe(`${memo}~a.7Eb.2F.C3.BC.3F`)
    await expect.poll(() => source.events.length).toBe(1)
    const { object, row_id: told } = source.events[0]?.data ?? {}
    const read = await fetch(`${server.url}/api/rest/${object}/${told}`)
    expect(await read.json()).toMatchObject({ row_id: id, sea_memo: memo, sea_code: 'a~b/ü?' })
    await service.update(boss, 'Seat', id, { sea_text: 'taken' })
    await service.delete(boss, 'Seat', id)
    await expect.poll(() => source.events.length).toBe(3)
    expect(source.events.map(({ data }) => [data.action, data.row_id])).toEqual([
      ['create', id],
      ['update', id],
      ['delete', id],
    ])
  })

  it('webhooks are called over HTTP, signed', async () => {
    const { received, url, close } = await receive((request) => (request === 1 ? 302 : 204))
    const dispatcher = startDispatcher()
    await service.create(boss, 'Webhook', { whk_name: 'receiver', whk_url: url, whk_secret, whk_objects: 'Memo' })
    const { row_id: id } = await service.create(boss, 'Memo', { mem_text: 'to be sent' })
    await delivered(id)
    await dispatcher.close()
    close()
    expect(new Set(received.map((request) => request.url))).toEqual(new Set(['/hook']))
    const { headers, body = '{}' } = received.at(-1) ?? {}
    expect(headers?.['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
    expect(JSON.parse(body)).toMatchObject({ type: 'Memo.create', data: { object: 'Memo', row_id: id } })
  })

  it('webhooks send a row id of several fields, with which the record is read', async () => {
    const { received, url, close } = await receive(() => 204)
    const dispatcher = startDispatcher()
    await service.create(boss, 'Webhook', { whk_name: 'seats', whk_url: url, whk_secret, whk_objects: 'Seat' })
    const { row_id: memo } = await service.create(boss, 'Memo', { mem_text: 'of seats' })
    const { row_id: id } = await service.create(boss, 'Seat', { sea_memo: memo, sea_code: '../é' })
    await delivered(id)
    await dispatcher.close()
    close()
    expect(received).toHaveLength(1)
    const { type, data } = JSON.parse(received[0]?.body ?? '{}')
    expect([type, data.row_id]).toEqual(['Seat.create', `${memo}~.....2F.C3.A9`])
    const read = await fetch(`${server.url}/api/rest/Seat/${data.row_id}`)
    expect(await read.json()).toMatchObject({ row_id: id, sea_memo: memo, sea_code: '../é' })
  })

  it('webhooks never send what was written while they were muted', async () => {
    const { received, url, close } = await receive(() => 204)
    const webhook = { whk_name: 'muted', whk_url: url, whk_secret, whk_objects: 'Memo' }
    const { row_id: webhookId } = await service.create(boss, 'Webhook', webhook)
    const prepare = (muted: boolean) => prepareWebhooks({ model: service.model, store: running.store, muted })
    await prepare(true)
    await service.create(boss, 'Memo', { mem_text: 'nobody passes it by' })
    // Those that a process left which ended.
    const deliveries = service.model.object('WebhookDelivery')
    const waiting = {
      whd_webhook_id: webhookId,
      whd_event: 1,
      whd_object: 'Memo',
      whd_row_id: '1',
      whd_action: 'create',
    }
    for (let left = 3; left > 0; left--)
      await running.store.insert(deliveries, { ...waiting, whd_status: 'pending', whd_due: 1 }, deliveries.select([]))
    await prepare(false)
    const skipped = { filters: { whd_webhook_id: webhookId, whd_status: 'skipped' } }
    expect((await service.count(boss, 'WebhookDelivery', skipped)).count).toBe(3)
    const { row_id: id } = await service.create(boss, 'Memo', { mem_text: 'told' })
    const dispatcher = startDispatcher()
    await delivered(id)
    await dispatcher.close()
    close()
    expect(received.map(({ body }) => JSON.parse(body).data.row_id)).toEqual([id])
  })

  function startDispatcher(): WebhookDispatcher {
    const dispatcher = createWebhookDispatcher({
      model: service.model,
      store: running.store,
      service,
      hub,
      principalOf: async () => undefined,
      send: createWebhookSender({ allowPrivate: true }),
      retry: { firstDelayMs: 1 },
      pollMs,
    })
    dispatcher.start()
    return dispatcher
  }

  /** Waits until the webhook of this record is done. */
  async function delivered(rowId: string): Promise<void> {
    const filter: Filter = { op: '=', field: 'whd_row_id', value: rowId }
    const request = { filter, filters: { whd_status: 'done' } }
    await expect.poll(async () => (await service.count(boss, 'WebhookDelivery', request)).count).toBe(1)
  }
}

interface Received {
  readonly url: string | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** A server that webhooks call. */
async function receive(statusOf: (request: number) => number) {
  const received: Received[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      received.push({ url: request.url, headers: request.headers, body })
      response.writeHead(statusOf(received.length), { location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  return { received, url, close: () => receiver.close() }
}
