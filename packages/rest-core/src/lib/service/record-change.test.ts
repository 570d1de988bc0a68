import { expect, it } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights } from '../rights/create-rights.js'
import type { GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { eventFor } from '../events/event.js'
import { systemObjects } from '../system/system-objects.js'
import { createBusinessObjects } from './create-business-objects.js'
import { collect } from './fixture-for-test.js'

const Shelf = defineObject({
  name: 'Shelf',
  fields: { shf_name: { type: 'string', key: true } },
})
const Book = defineObject({
  name: 'Book',
  audit: true,
  events: true,
  fields: {
    bok_title: { type: 'string', key: true },
    bok_price: { type: 'decimal' },
    bok_tags: { type: 'multi-enum', values: ['a', 'b'] },
    bok_data: { type: 'object' },
    bok_text: { type: 'text' },
    bok_pin: { type: 'password' },
    bok_secret: { type: 'string', hidden: true },
    bok_shelf_id: { type: 'reference', object: 'Shelf', onDelete: 'cascade' },
    bok_twin_id: { type: 'reference', object: 'Book', onDelete: 'setNull' },
  },
})

const boss = systemPrincipal({ login: 'boss' })

function fixture() {
  const model = createModel([...systemObjects, Shelf, Book])
  const store = createMemoryStore()
  const service = createBusinessObjects({
    model,
    store,
    clock: () => new Date('2026-05-06T12:00:00Z'),
    requestId: () => 'request 1',
  })
  const user = (grants: readonly GrantData[]) =>
    createPrincipal({ login: 'eve', rights: createRights(model, grants, { LOGIN: 'eve' }) })
  const entries = async (principal = boss) =>
    collect(await service.search(principal, 'AuditEntry', { order: [{ field: 'row_id', descending: false }] }))
  const events = async () => collect(await service.search(boss, 'Event'))
  return { model, store, service, user, entries, events }
}

it('a creation is recorded with its values, secrets as stars', async () => {
  const { service, entries, events } = fixture()
  const { row_id: id } = await service.create(boss, 'Book', {
    bok_title: 'Emma',
    bok_price: '12.50',
    bok_pin: 'pin',
    bok_secret: 'psst',
  })
  expect(await entries()).toEqual([
    {
      row_id: '1',
      aud_object: 'Book',
      aud_row_id: id,
      aud_action: 'create',
      aud_dt: '2026-05-06 12:00:00',
      aud_login: 'boss',
      aud_changes: {
        bok_title: [null, 'Emma'],
        bok_price: [null, 12.5],
        bok_pin: [null, '***'],
        bok_secret: [null, '***'],
      },
      aud_request: 'request 1',
    },
  ])
  expect(await events()).toEqual([
    {
      row_id: '1',
      evt_number: null,
      evt_object: 'Book',
      evt_row_id: id,
      evt_action: 'create',
      evt_dt: '2026-05-06 12:00:00',
      evt_login: 'boss',
    },
  ])
})

it('an update is recorded with the fields that changed', async () => {
  const { service, entries } = fixture()
  const { row_id: id } = await service.create(boss, 'Book', {
    bok_title: 'Emma',
    bok_price: 5,
    bok_tags: ['a'],
    bok_data: { a: [1] },
    bok_secret: 'one',
  })
  await service.update(boss, 'Book', id, {
    bok_title: 'Emma',
    bok_price: '5.00',
    bok_tags: ['b', 'a'],
    bok_data: { a: [1] },
    bok_secret: 'two',
    bok_pin: 'new',
  })
  expect((await entries())[1]?.['aud_changes']).toEqual({
    bok_tags: [['a'], ['a', 'b']],
    bok_secret: ['***', '***'],
    bok_pin: ['***', '***'],
  })
})

it('an update that changes nothing leaves no audit entry, but an event', async () => {
  const { service, entries, events } = fixture()
  const { row_id: id } = await service.create(boss, 'Book', { bok_title: 'Emma' })
  await service.update(boss, 'Book', id, { bok_title: 'Emma' })
  expect(await entries()).toHaveLength(1)
  expect(await events()).toHaveLength(2)
})

it('long texts are cut', async () => {
  const { service, entries } = fixture()
  await service.create(boss, 'Book', { bok_title: 'Emma', bok_text: `${'x'.repeat(3999)}😀${'y'.repeat(100)}` })
  expect((await entries())[0]?.['aud_changes']).toMatchObject({
    bok_text: [null, `${'x'.repeat(3999)}… (4101 characters)`],
  })
})

it('records that go or change with a deleted one are recorded one by one', async () => {
  const { service, entries, events } = fixture()
  const shelf = await service.create(boss, 'Shelf', { shf_name: 'S' })
  const first = await service.create(boss, 'Book', { bok_title: 'A', bok_shelf_id: shelf.row_id })
  const second = await service.create(boss, 'Book', { bok_title: 'B', bok_twin_id: first.row_id })
  await service.delete(boss, 'Shelf', shelf.row_id)
  const all = (await entries()).slice(2).map(({ aud_row_id: id, aud_action: action, aud_changes: changes }) => ({
    id,
    action,
    changes,
  }))
  expect(all).toEqual([
    { id: second.row_id, action: 'update', changes: { bok_twin_id: [first.row_id, ''] } },
    { id: first.row_id, action: 'delete', changes: { bok_title: ['A', null], bok_shelf_id: [shelf.row_id, null] } },
  ])
  expect((await events()).map(({ evt_action: action }) => action)).toEqual(['create', 'create', 'update', 'delete'])
})

it('what is undone is not recorded', async () => {
  const { service, entries, events } = fixture()
  await expect(
    service.transaction(async (inside) => {
      await inside.create(boss, 'Book', { bok_title: 'A' })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await service.create(boss, 'Book', { bok_title: 'B' })
  await expect(service.create(boss, 'Book', { bok_title: 'B' })).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
  expect(await entries()).toHaveLength(1)
  expect(await events()).toHaveLength(1)
})

it('an object without audit and events writes without a transaction', async () => {
  const { service, store } = fixture()
  let transactions = 0
  const original = store.transaction.bind(store)
  Object.assign(store, { transaction: (work: never) => (transactions++, original(work)) })
  const { row_id: id } = await service.create(boss, 'Shelf', { shf_name: 'S' })
  await service.update(boss, 'Shelf', id, { shf_name: 'T' })
  expect(transactions).toBe(0)
})

it('a model without the system objects is refused', () => {
  const model = createModel([Shelf, Book])
  expect(() => createBusinessObjects({ model, store: createMemoryStore() })).toThrow(
    'Object "Book" has "audit: true", which needs the system object "AuditEntry" in the model.',
  )
})

it('audit entries and events cannot be written through the service', async () => {
  const { service } = fixture()
  await service.create(boss, 'Book', { bok_title: 'A' })
  for (const object of ['AuditEntry', 'Event']) {
    await expect(service.create(boss, object, {})).rejects.toMatchObject({ code: 'ERR_RIGHT' })
    await expect(service.update(boss, object, '1', {})).rejects.toMatchObject({ code: 'ERR_RIGHT' })
    await expect(service.delete(boss, object, '1')).rejects.toMatchObject({ code: 'ERR_RIGHT' })
  }
})

it('a user needs a grant on the trail', async () => {
  const { service, user } = fixture()
  await service.create(boss, 'Book', { bok_title: 'A' })
  const eve = user([{ object: 'Book', letters: 'CRUD' }])
  await expect(service.search(eve, 'AuditEntry')).rejects.toMatchObject({ code: 'ERR_RIGHT' })
})

it('entries about objects that a user may not read are not there', async () => {
  const { service, user, entries } = fixture()
  await service.create(boss, 'Book', { bok_title: 'A' })
  const eve = user([
    { object: 'AuditEntry', letters: 'R' },
    { object: 'Event', letters: 'R' },
  ])
  expect(await entries(eve)).toEqual([])
  expect(await service.count(eve, 'AuditEntry')).toMatchObject({ count: 0 })
  expect(await service.count(eve, 'Event')).toMatchObject({ count: 0 })
  await expect(service.get(eve, 'AuditEntry', '1')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(service.get(eve, 'AuditEntry', '1', { fields: ['aud_login'] })).rejects.toMatchObject({
    code: 'ERR_NOT_FOUND',
  })
})

it('fields that are hidden from a user are left out of the changes, whatever is asked for', async () => {
  const { service, user } = fixture()
  await service.create(boss, 'Book', { bok_title: 'A', bok_price: 7, bok_text: 'hidden' })
  const eve = user([
    { object: 'AuditEntry', letters: 'R' },
    { object: 'Book', letters: 'R', hidden: ['bok_price', 'bok_text'] },
  ])
  const changes = { bok_title: [null, 'A'] }
  for (const fields of [undefined, ['aud_changes']] as const) {
    const options = fields ? { fields } : {}
    expect((await service.get(eve, 'AuditEntry', '1', options))['aud_changes']).toEqual(changes)
    const [found] = await collect(await service.search(eve, 'AuditEntry', options))
    expect(found?.['aud_changes']).toEqual(changes)
  }
  await expect(service.count(eve, 'AuditEntry', { filters: { aud_changes: 'x' } })).rejects.toMatchObject({
    status: 400,
  })
})

it('entries about records that a row filter keeps from a user are not there', async () => {
  const { service, user, store, model } = fixture()
  const cheap = await service.create(boss, 'Book', { bok_title: 'Cheap', bok_price: 1 })
  const dear = await service.create(boss, 'Book', { bok_title: 'Dear', bok_price: 100 })
  const gone = await service.create(boss, 'Book', { bok_title: 'Gone', bok_price: 1 })
  await service.delete(boss, 'Book', gone.row_id)
  await service.create(boss, 'Webhook', {
    whk_name: 'one',
    whk_url: 'https://example.org',
    whk_secret: `whsec_${'a'.repeat(32)}`,
  })
  const delivery = model.object('WebhookDelivery')
  for (const { row_id: id } of [cheap, dear, gone])
    await store.insert(delivery, { whd_webhook_id: '1', whd_object: 'Book', whd_row_id: id }, delivery.selection)
  const eve = user([
    ...['AuditEntry', 'Event', 'WebhookDelivery'].map((object) => ({ object, letters: 'R' })),
    { object: 'Book', letters: 'R', filter: 'bok_price < 10' },
  ])
  for (const [name, prefix] of [
    ['AuditEntry', 'aud'],
    ['Event', 'evt'],
    ['WebhookDelivery', 'whd'],
  ] as const) {
    const found = async (filters: object) => {
      const records = await collect(await service.search(eve, name, { filters: { ...filters } }))
      expect(await service.count(eve, name, { filters: { ...filters } })).toMatchObject({ count: records.length })
      return records.map((record) => record[`${prefix}_row_id`])
    }
    const about = (rowId: string) => ({ [`${prefix}_object`]: 'Book', [`${prefix}_row_id`]: rowId })
    expect(await found({}), name).toEqual([])
    expect(await found(about(cheap.row_id)), name).toEqual([cheap.row_id])
    for (const { row_id: id } of [dear, gone]) expect(await found(about(id)), name).toEqual([])
    expect(await service.get(eve, name, '1')).toMatchObject({ [`${prefix}_row_id`]: cheap.row_id })
    for (const entry of ['2', '3'])
      await expect(service.get(eve, name, entry), name).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  }
})

it('who changed a record is neither shown nor searched where updated_by is hidden', async () => {
  const { service, user } = fixture()
  await service.create(boss, 'Book', { bok_title: 'A' })
  const eve = user([
    { object: 'AuditEntry', letters: 'R' },
    { object: 'Book', letters: 'R', hidden: ['updated_by'] },
  ])
  const [found] = await collect(await service.search(eve, 'AuditEntry'))
  expect(found).toMatchObject({ aud_login: '', aud_changes: { bok_title: [null, 'A'] } })
  const asking = [{ filters: { aud_login: 'boss' } }, { order: [{ field: 'aud_login', descending: true }] }]
  for (const request of asking)
    await expect(service.search(eve, 'AuditEntry', request)).rejects.toMatchObject({ status: 400 })
})

it.each([
  ['1~VIP', ''],
  ['4711', '4711'],
  ['0b1c6ab4-70a5-4f2c-9f0a-0a9d1f6f3c11', '0b1c6ab4-70a5-4f2c-9f0a-0a9d1f6f3c11'],
])('the deletion of record "%s" is reported as "%s" where some records are out of reach', async (rowId, shown) => {
  const { service, user } = fixture()
  const deletion = { object: 'Book', rowId, action: 'delete', time: '2026-05-06 12:00:00', login: 'boss' } as const
  const eve = user([{ object: 'Book', letters: 'R', filter: 'bok_price < 10' }])
  expect(await eventFor(service, eve, deletion)).toMatchObject({ object: 'Book', row_id: shown })
  expect(await eventFor(service, boss, deletion)).toMatchObject({ row_id: rowId })
})
