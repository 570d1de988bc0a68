import { afterEach, expect, it, vi } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { systemObjects } from '../system/system-objects.js'
import { eventFor } from './event.js'
import type { EventHub } from './event-hub.js'
import { createEventHub } from './event-hub.js'

const Note = defineObject({
  name: 'Note',
  events: true,
  fields: { not_text: { type: 'string' }, not_open: { type: 'boolean' } },
})
const boss = systemPrincipal({ login: 'boss' })
const never = new AbortController().signal
const hubs: EventHub[] = []

afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close()
})

function fixture({ pollMs = 1e6 } = {}) {
  const model = createModel([...systemObjects, Note])
  const store = createMemoryStore()
  const hub = newHub()
  const service = createBusinessObjects({ model, store, onChange: () => hub.notify() })
  const write = (text: string) => service.create(boss, 'Note', { not_text: text })
  return { model, store, hub, service, write, newHub }

  function newHub(): EventHub {
    const created = createEventHub({ model, store, pollMs })
    hubs.push(created)
    return created
  }
}

async function readAll(hub: EventHub, count: number, from = 0): Promise<number[]> {
  const numbers: number[] = []
  for (let after = from; numbers.length < count; after = numbers.at(-1) ?? after) {
    await hub.next(after, never)
    numbers.push(...(await hub.read(after)).map(({ number }) => number))
  }
  return numbers
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => at + from)

it('events are numbered in the order of their commits, without gaps', async () => {
  const { hub, service, write } = fixture()
  hub.start()
  await write('a')
  await expect(
    service.transaction(async (inside) => {
      await inside.create(boss, 'Note', { not_text: 'undone' })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await service.delete(boss, 'Note', (await write('b')).row_id)
  expect(await readAll(hub, 3)).toEqual([1, 2, 3])
  expect((await hub.read(0)).map(({ action }) => action)).toEqual(['create', 'create', 'delete'])
  expect(await hub.last()).toBe(3)
})

it('a listener that comes late, and one that stays, read the same events', async () => {
  const { hub, write, newHub } = fixture()
  hub.start()
  const staying = readAll(hub, 30)
  for (let n = 0; n < 30; n++) await write(`note ${n}`)
  expect(await staying).toEqual(upTo(30))
  expect(await readAll(hub, 20, 10)).toEqual(upTo(30, 11))
  const other = newHub()
  other.start()
  expect(await readAll(other, 30)).toEqual(upTo(30))
})

it('writes of another process are found by polling', async () => {
  const { write, newHub } = fixture({ pollMs: 5 })
  const other = newHub()
  other.start()
  const found = readAll(other, 2)
  await write('a')
  await write('b')
  expect(await found).toEqual([1, 2])
})

it('many events at once are all read', async () => {
  const { hub, service } = fixture()
  hub.start()
  await hub.next(-1, never)
  await service.transaction(async (inside) => {
    for (let n = 0; n < 1300; n++) await inside.create(boss, 'Note', { not_text: `${n}` })
  })
  expect(await readAll(hub, 1300)).toEqual(upTo(1300))
})

it('several hubs that number at once give every number once', async () => {
  const { model, store, write, newHub } = fixture({ pollMs: 1 })
  const several = [newHub(), newHub(), newHub()]
  for (const one of several) one.start()
  await Promise.all(Array.from({ length: 50 }, (_, n) => write(`${n}`)))
  for (const one of several) expect(await readAll(one, 50)).toEqual(upTo(50))
  expect(await store.count(model.object('Event'))).toBe(50)
})

it('next() ends with its signal and with the hub', async () => {
  const { hub } = fixture()
  hub.start()
  const end = new AbortController()
  const waiting = hub.next(5, end.signal)
  end.abort()
  await waiting
  const other = hub.next(5, never)
  await hub.close()
  await other
})

it('a store that fails is reported once, and events come when it works again', async () => {
  const { model, store, service } = fixture()
  let broken = true
  const errors: unknown[] = []
  const search: typeof store.search = (...call) => {
    if (broken) throw new Error('broken')
    return store.search(...call)
  }
  const hub = createEventHub({ model, store: { ...store, search }, pollMs: 2, onError: (error) => errors.push(error) })
  hubs.push(hub)
  hub.start()
  await expect.poll(() => errors.length).toBe(1)
  await service.create(boss, 'Note', { not_text: 'a' })
  broken = false
  await hub.next(0, never)
  expect(await readAll(hub, 1)).toEqual([1])
  expect(errors).toHaveLength(1)
})

it('eventFor() gives a user events of readable records only', async () => {
  const { model, service, write } = fixture()
  const user = (grants: readonly GrantData[]) =>
    createPrincipal({ login: 'eve', rights: createRights(model, grants, { LOGIN: 'eve' }) })
  const { row_id: rowId } = await write('a')
  const event = { object: 'Note', rowId, action: 'update', time: '2026-01-01 00:00:00', login: 'boss' } as const
  const told = { object: 'Note', row_id: rowId, action: 'update', time: '2026-01-01 00:00:00', login: 'boss' }
  expect(await eventFor(service, boss, event)).toEqual(told)
  expect(await eventFor(service, user([{ object: 'Note', letters: 'R' }]), event)).toEqual(told)
  expect(await eventFor(service, user([{ object: 'Note', letters: 'CUD' }]), event)).toBeUndefined()
  expect(await eventFor(service, user([]), event)).toBeUndefined()
  const onlyOpen = user([{ object: 'Note', letters: 'R', filter: 'not_open = true' }])
  expect(await eventFor(service, onlyOpen, event)).toBeUndefined()
  expect(await eventFor(service, onlyOpen, { ...event, action: 'delete' })).toMatchObject({ action: 'delete' })
  await service.update(boss, 'Note', rowId, { not_open: true })
  expect(await eventFor(service, onlyOpen, event)).toEqual(told)
  const noLogins = user([{ object: 'Note', letters: 'R', hidden: ['updated_by'] }])
  expect(await eventFor(service, noLogins, event)).not.toHaveProperty('login')
  expect(await eventFor(service, boss, { ...event, object: 'Gone' })).toBeUndefined()
})

it('a look follows each notice, at whatever step of the last look it comes', async () => {
  const { model, store, write } = fixture()
  const search = vi.spyOn(store, 'search')
  const hub = createEventHub({ model, store, pollMs: 1e6 })
  hubs.push(hub)
  hub.start()
  for (let steps = 0; steps < 20; steps++) {
    const known = hub.known()
    await write('a')
    hub.notify()
    await hub.next(known, never)
    for (let step = 0; step < steps; step++) await Promise.resolve()
    search.mockClear()
    hub.notify()
    await expect.poll(() => search.mock.calls.length, { interval: 1 }).toBeGreaterThan(0)
  }
})
