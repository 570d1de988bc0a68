import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createPrincipal } from '../rights/principal.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import type { Query } from '../store.js'
import type { SearchRequest } from './business-objects.js'
import { createBusinessObjects } from './create-business-objects.js'
import { boss, collect } from './fixture-for-test.js'

const Country = defineObject({
  name: 'Country',
  display: 'public',
  fields: {
    cou_code: { type: 'string', key: true },
    cou_risk: { type: 'integer' },
  },
})

const Customer = defineObject({
  name: 'Customer',
  fields: {
    cus_code: { type: 'string', key: true },
    cus_name: { type: 'string' },
    cus_limit: { type: 'integer' },
    cus_pin: { type: 'password' },
    cus_note: { type: 'string', hidden: true },
    cus_country_id: { type: 'reference', object: 'Country', display: ['cou_code'] },
    cus_parent_id: { type: 'reference', object: 'Customer', display: [] },
  },
})

const Ticket = defineObject({
  name: 'Ticket',
  indexable: ['tic_subject'],
  fields: {
    tic_code: { type: 'string', key: true },
    tic_subject: { type: 'string' },
    tic_customer_id: { type: 'reference', object: 'Customer', display: ['cus_code'] },
  },
  crosstabs: { limits: { lines: ['tic_customer_id__cus_name'], values: [{ function: 'count' }] } },
  publications: { list: { scope: 'global', format: 'json', fields: ['tic_code', 'tic_customer_id__cus_name'] } },
})

const model = createModel([Country, Customer, Ticket])
const asked: Query[] = []
const memory = createMemoryStore()
const store: typeof memory = {
  ...memory,
  search(object, query) {
    asked.push(query)
    return memory.search(object, query)
  },
}
const service = createBusinessObjects({ model, store })

const tickets: GrantData = { object: 'Ticket', letters: 'CRU' }
const customers: GrantData = { object: 'Customer', letters: 'R' }
const countries: GrantData = { object: 'Country', letters: 'R' }
const user = (...grants: GrantData[]) =>
  createPrincipal({ login: 'bob', rights: createRights(model, [tickets, ...grants], {}) })
const full = user(customers, countries)

beforeAll(async () => {
  const { row_id: fr } = await service.create(boss, 'Country', { cou_code: 'FR', cou_risk: 1 })
  const { row_id: us } = await service.create(boss, 'Country', { cou_code: 'US', cou_risk: 9 })
  const create = async (cus_code: string, cus_limit: number, country: string, parent = '') =>
    service.create(boss, 'Customer', {
      cus_code,
      cus_limit,
      cus_name: `${cus_code} & sons`,
      cus_note: 'note',
      cus_pin: 'secret',
      cus_country_id: country,
      cus_parent_id: parent,
    })
  const root = await create('root', 100, us)
  const shop = await create('shop', 5, fr, root.row_id)
  await service.create(boss, 'Ticket', { tic_code: 'T1', tic_subject: 'ink spilled', tic_customer_id: shop.row_id })
  await service.create(boss, 'Ticket', { tic_code: 'T2', tic_subject: 'ink dry', tic_customer_id: root.row_id })
  await service.create(boss, 'Ticket', { tic_code: 'T3', tic_subject: 'root cause' })
})

async function codes(bob: typeof boss, request: SearchRequest): Promise<unknown[]> {
  return (await collect(await service.search(bob, 'Ticket', request))).map(({ tic_code: code }) => code)
}

describe('paths', () => {
  test('filter, sort and select any field of linked objects', async () => {
    const far = 'tic_customer_id__cus_parent_id__cus_country_id__cou_risk'
    expect(await codes(full, { filters: { [far]: '9' } })).toStrictEqual(['T1'])
    expect(await codes(full, { filters: { [`nmin__${far}`]: '9' } })).toStrictEqual(['T1'])
    const expression = `tic_subject like 'root%' or tic_customer_id__cus_name like 'shop%' and not ${far} is null`
    expect(await codes(full, { expression })).toStrictEqual(['T1', 'T3'])
    const order = [{ field: 'tic_customer_id__cus_limit', descending: true }]
    expect(await codes(full, { order })).toStrictEqual(['T2', 'T1', 'T3'])
    const [record] = await collect(await service.search(full, 'Ticket', { fields: ['tic_code', far] }))
    expect(record).toStrictEqual({ row_id: '1', tic_code: 'T1', [far]: 9 })
    expect(await service.get(full, 'Ticket', '2', { fields: [far] })).toStrictEqual({ row_id: '2', [far]: null })
    const changed = await service.update(full, 'Ticket', '1', {}, { fields: ['tic_customer_id__cus_limit'] })
    expect(changed).toStrictEqual({ row_id: '1', tic_customer_id__cus_limit: 5 })
    expect(await service.count(full, 'Ticket', { expression })).toMatchObject({ count: 2 })
  })

  test('hold for index searches, pivot tables and publications, too', async () => {
    const name = 'tic_customer_id__cus_name'
    const found = await service.indexSearch(full, 'Ticket', { text: 'ink', expression: `${name} = 'shop & sons'` })
    expect(found.map(({ data }) => data['tic_code'])).toStrictEqual(['T1'])
    const risk = { tic_customer_id__cus_country_id__cou_risk: '> 1' }
    expect(await service.countIndex(full, 'Ticket', { text: 'ink', filters: risk })).toMatchObject({ count: 1 })
    const { linePlaces } = await service.crosstab(full, 'Ticket', 'limits', { expression: `${name} is not null` })
    expect(linePlaces).toStrictEqual([['root & sons'], ['shop & sons'], []])
    const published = await service.publish(full, 'Ticket', 'list', { search: { expression: `${name} like 'shop%'` } })
    expect(await text(published.content as Readable)).toBe(
      '[{"tic_code":"T1","tic_customer_id__cus_name":"shop & sons"}]',
    )
    await expect(service.indexSearch(full, undefined, { text: 'ink', expression: `${name} = 'a'` })).rejects.toThrow(
      'takes no fields',
    )
  })

  test.each<[string, GrantData[], string]>([
    ['of an object without the right to read it', [countries], 'tic_customer_id__cus_name'],
    ['behind an object without the right to read it', [countries], 'tic_customer_id__cus_country_id__cou_risk'],
    ['hidden where they are', [{ ...customers, hidden: ['cus_limit'] }], 'tic_customer_id__cus_limit'],
    ['that hold passwords', [customers, countries], 'tic_customer_id__cus_pin'],
    ['that are hidden in the definition', [customers], 'tic_customer_id__cus_note'],
    [
      'behind a hidden reference',
      [{ ...customers, hidden: ['cus_country_id'] }, countries],
      'tic_customer_id__cus_country_id__cou_risk',
    ],
    [
      'hidden by a part of their path',
      [{ ...customers, hidden: ['cus_country_id__cou_risk'] }, countries],
      'tic_customer_id__cus_country_id__cou_risk',
    ],
    ['of a public object that it does not display', [customers], 'tic_customer_id__cus_country_id__cou_risk'],
    [
      'of a public object of which only some records may be read',
      [customers, { ...countries, filter: "cou_code = 'FR'" }],
      'tic_customer_id__cus_country_id__cou_risk',
    ],
    ['that do not exist', [customers], 'tic_customer_id__nothing_like_it'],
    ['behind six references', [customers], `tic_customer_id__${'cus_parent_id__'.repeat(5)}cus_name`],
  ])('%s are unknown everywhere', async (_, grants, path) => {
    const bob = user(...grants)
    const unknown = { code: 'ERR_BAD_REQUEST', messages: [{ code: 'ERR_UNKNOWN_FIELD' }] }
    const requests: SearchRequest[] = [
      { filters: { [path]: 'is null' } },
      { filters: { [`nmin__${path}`]: '1' } },
      { expression: `tic_code = 'T1' or ${path} is null` },
      { filter: { op: 'null', field: path } },
      { order: [{ field: path, descending: false }] },
      { order: [{ field: path, descending: false }], cursor: '' },
      { fields: [path] },
    ]
    for (const request of requests) {
      await expect(service.search(bob, 'Ticket', request), JSON.stringify(request)).rejects.toMatchObject(unknown)
      if (request.fields || request.order) continue
      await expect(service.count(bob, 'Ticket', request)).rejects.toMatchObject(unknown)
      await expect(service.indexSearch(bob, 'Ticket', { ...request, text: 'ink' })).rejects.toMatchObject(unknown)
    }
    await expect(service.get(bob, 'Ticket', '1', { fields: [path] })).rejects.toMatchObject(unknown)
    const values = { tic_code: 'new', tic_subject: 'new' }
    await expect(service.create(bob, 'Ticket', values, { fields: [path] })).rejects.toMatchObject(unknown)
  })

  test('see linked records through the row filters of the user on each step', async () => {
    const bob = user({ ...customers, filter: 'cus_limit < 50' }, countries)
    const risk = 'tic_customer_id__cus_country_id__cou_risk'
    const parent = 'tic_customer_id__cus_parent_id__cus_name'
    expect(await codes(bob, { filters: { [risk]: 'is not null' } })).toStrictEqual(['T1'])
    expect(await codes(bob, { expression: `${risk} = 9 or ${parent} is not null` })).toStrictEqual([])
    expect(await codes(bob, { expression: `not (${risk} = 9)` })).toStrictEqual(['T1', 'T2', 'T3'])
    const order = [{ field: risk, descending: true }]
    expect(await codes(bob, { order })).toStrictEqual(['T1', 'T2', 'T3'])
    const fields = ['tic_code', risk, parent]
    expect(await collect(await service.search(bob, 'Ticket', { fields }))).toStrictEqual([
      { row_id: '1', tic_code: 'T1', [risk]: 1, [parent]: '' },
      { row_id: '2', tic_code: 'T2', [risk]: null, [parent]: '' },
      { row_id: '3', tic_code: 'T3', [risk]: null, [parent]: '' },
    ])
    expect(await service.get(bob, 'Ticket', '2', { fields })).toMatchObject({ [risk]: null })
    expect(await service.update(bob, 'Ticket', '2', {}, { fields })).toMatchObject({ [risk]: null })
    const { linePlaces } = await service.crosstab(bob, 'Ticket', 'limits')
    expect(linePlaces).toStrictEqual([[''], ['shop & sons'], []])
    const { content } = await service.publish(bob, 'Ticket', 'list')
    expect(await text(content as Readable)).not.toContain('root')
  })

  test('are guarded where nothing else of the object needs a guard', async () => {
    const bob = user({ ...customers, letters: 'RU', filter: 'cus_limit < 50' }, countries)
    const path = 'cus_parent_id__cus_name'
    const [shop] = await collect(
      await service.search(boss, 'Customer', { filters: { cus_code: 'shop' }, fields: [path] }),
    )
    expect(shop).toHaveProperty(path, 'root & sons')
    await collect(await service.search(bob, 'Customer'))
    expect(asked.at(-1)?.guards).toBeUndefined()
    const id = shop?.row_id ?? ''
    const hidden = { row_id: id, [path]: '' }
    expect(await collect(await service.search(bob, 'Customer', { fields: [path] }))).toStrictEqual([hidden])
    expect(await service.get(bob, 'Customer', id, { fields: [path] })).toStrictEqual(hidden)
    expect(await service.update(bob, 'Customer', id, { cus_name: 'shop & sons' }, { fields: [path] })).toStrictEqual(
      hidden,
    )
    for (const request of [
      { filters: { [path]: 'root*' } },
      { expression: `${path} like 'root%'` },
      { filter: { op: 'notNull', field: path } as const },
    ])
      expect(await service.count(bob, 'Customer', request)).toMatchObject({ count: 0 })
    const [item] = await service.batch(
      bob,
      'Customer',
      [{ action: 'update', row_id: id, values: { cus_name: 'shop & sons' } }],
      { fields: [path] },
    )
    expect(item).toMatchObject({ record: hidden })
  })

  test('of row filters of grants see every record', async () => {
    const bob = user({ ...tickets, object: 'Ticket' }, customers)
    const limited = createPrincipal({
      login: 'bob',
      rights: createRights(model, [{ ...tickets, filter: 'tic_customer_id__cus_parent_id__cus_limit = 100' }], {}),
    })
    expect(await codes(bob, {})).toHaveLength(3)
    expect(await codes(limited, {})).toStrictEqual(['T1'])
  })

  test.each([
    ['tic_customer_id__cus_nam', 'tic_customer_id__cus_name'],
    ['tic_custmer_id__cus_name', 'tic_customer_id__cus_name'],
    ['tic_customer_id__cus_parent__cus_name', undefined],
    ['tic_customer_id__cus_parnt_id__cus_name', 'tic_customer_id__cus_parent_id__cus_name'],
    ['tic_subjet', 'tic_subject'],
    ['tic_customer_id__cus_limt', undefined],
    ['tic_customer_id__cus_pn', undefined],
  ])('%s is answered with what was probably meant, if the user may read it: %s', async (name, meant) => {
    const bob = user({ ...customers, hidden: ['cus_limit'] }, countries)
    const message = `Object "Ticket" has no field "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`
    await expect(service.search(bob, 'Ticket', { filters: { [name]: 'x' } })).rejects.toThrow(
      new RegExp(`^${escape(message)}$`),
    )
  })

  test('lead to at most 20 linked records in one request', async () => {
    const parent = (steps: number) => `tic_customer_id__${'cus_parent_id__'.repeat(steps)}`
    const fields = [1, 2, 3, 4].map((steps) => `${parent(steps)}cus_name`)
    expect(await codes(full, { fields: ['tic_code', ...fields] })).toHaveLength(3)
    const Wide = defineObject({
      name: 'Wide',
      fields: {
        wid_code: { type: 'string', key: true },
        ...Object.fromEntries(
          Array.from({ length: 21 }, (_, at) => [
            `wid_${at}`,
            { type: 'reference', object: 'Country', display: [] } as const,
          ]),
        ),
      },
    })
    const wide = createBusinessObjects({ model: createModel([Country, Wide]), store: createMemoryStore() })
    const names = Array.from({ length: 21 }, (_, at) => `wid_${at}__cou_risk`)
    await expect(wide.search(boss, 'Wide', { fields: names.slice(1) })).resolves.toBeDefined()
    await expect(wide.search(boss, 'Wide', { fields: names })).rejects.toThrow(/at most 20 linked records/)
    const expression = names.map((name) => `${name} = 1`).join(' or ')
    await expect(wide.count(boss, 'Wide', { expression })).rejects.toThrow(/at most 20 linked records/)
  })

  test('that are not asked for cost nothing: the store is asked as before', async () => {
    const bob = user({ ...customers, filter: 'cus_limit < 50' }, countries)
    await codes(bob, {})
    const plain = asked.at(-1)
    await codes(bob, { filters: { tic_customer_id__cus_code: 'shop' } })
    expect(plain?.guards).toBe(asked.at(-1)?.guards)
    expect(plain?.guards).toHaveLength(1)
  })
})

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
