import { beforeAll, describe, expect, test, vi } from 'vitest'
import { crosstabCubes, crosstabTable, mostCells } from '../crosstabs/crosstab-forms.js'
import { defineObject } from '../definition/define-object.js'
import { createMemoryStore } from '../memory/memory-store.js'
import { createModel } from '../model/create-model.js'
import { createRights, type GrantData } from '../rights/create-rights.js'
import { createPrincipal, systemPrincipal } from '../rights/principal.js'
import { createBusinessObjects } from './create-business-objects.js'

const Shop = defineObject({ name: 'Shop', fields: { sho_city: { type: 'string', key: true } } })

const Sale = defineObject({
  name: 'Sale',
  fields: {
    sal_shop: { type: 'reference', object: 'Shop', display: ['sho_city'] },
    sal_size: { type: 'enum', values: ['small', 'large'] },
    sal_amount: { type: 'decimal', precision: 10, scale: 2 },
    sal_pieces: { type: 'integer' },
    sal_day: { type: 'date' },
    sal_void: { type: 'boolean' },
  },
  crosstabs: {
    cities: { lines: ['sal_shop__sho_city'] },
    amounts: {
      lines: ['sal_shop__sho_city', 'sal_size'],
      columns: [{ field: 'sal_day', by: 'quarter' }],
      values: [
        { function: 'sum', field: 'sal_amount' },
        { function: 'avg', field: 'sal_pieces', name: 'pieces' },
        { function: 'max', field: 'sal_day' },
      ],
    },
    bosses: { lines: ['sal_size'], groups: ['BOSS'] },
    ids: { lines: ['row_id'] },
  },
  hooks: {
    preSearch(search) {
      const sold = { op: '=', field: 'sal_void', value: false } as const
      search.where = search.where ? { op: 'and', terms: [search.where, sold] } : sold
    },
  },
})

const model = createModel([Shop, Sale])
const store = createMemoryStore()
const service = createBusinessObjects({ model, store })
const boss = systemPrincipal({ login: 'boss' })

function user(grant: Partial<GrantData>, groups: string[] = []) {
  const rights = createRights(
    model,
    [
      { object: 'Sale', letters: 'R', ...grant },
      { object: 'Shop', letters: 'R' },
    ],
    {},
  )
  return createPrincipal({ login: 'user', groups, rights })
}

beforeAll(async () => {
  const { row_id: paris } = await service.create(boss, 'Shop', { sho_city: 'Paris' })
  const { row_id: oslo } = await service.create(boss, 'Shop', { sho_city: 'Oslo' })
  const sales = [
    [paris, 'large', 10.1, 1, '2026-01-31'],
    [paris, 'small', 0.2, 2, '2026-03-31'],
    [paris, 'small', 0.1, 2, '2026-04-01'],
    [oslo, 'small', -0.3, 1, '2026-01-01'],
    ['', '', null, null, ''],
  ]
  for (const [sal_shop, sal_size, sal_amount, sal_pieces, sal_day] of sales)
    await service.create(boss, 'Sale', { sal_shop, sal_size, sal_amount, sal_pieces, sal_day })
  await service.create(boss, 'Sale', { sal_shop: oslo, sal_amount: 99, sal_void: true })
})

describe('crosstab()', () => {
  test('gives cells with subtotals and totals, in order', async () => {
    const { rows, totals } = crosstabTable(await service.crosstab(boss, 'Sale', 'amounts'))
    expect(rows).toStrictEqual([
      [[], [''], ['2026-Q1'], ['2026-Q2'], []],
      [['', ''], [null, null, null], null, null, [null, null, null]],
      [[''], [null, null, null], null, null, [null, null, null]],
      [['Oslo', 'small'], null, [-0.3, 1, '2026-01-01'], null, [-0.3, 1, '2026-01-01']],
      [['Oslo'], null, [-0.3, 1, '2026-01-01'], null, [-0.3, 1, '2026-01-01']],
      [['Paris', 'small'], null, [0.2, 2, '2026-03-31'], [0.1, 2, '2026-04-01'], [0.3, 2, '2026-04-01']],
      [['Paris', 'large'], null, [10.1, 1, '2026-01-31'], null, [10.1, 1, '2026-01-31']],
      [['Paris'], null, [10.3, 1.5, '2026-03-31'], [0.1, 2, '2026-04-01'], [10.4, 1.6667, '2026-04-01']],
      [[], [null, null, null], [10, 1.3333, '2026-03-31'], [0.1, 2, '2026-04-01'], [10.1, 1.5, '2026-04-01']],
    ])
    expect(totals).toStrictEqual([10.1, 1.5, '2026-04-01'])
  })

  test('gives the cells with records as a flat list', async () => {
    expect(crosstabCubes(await service.crosstab(boss, 'Sale', 'cities'))).toStrictEqual([
      { sal_shop__sho_city: '', value: 1 },
      { sal_shop__sho_city: 'Oslo', value: 1 },
      { sal_shop__sho_city: 'Paris', value: 3 },
    ])
    const amounts = crosstabCubes(
      await service.crosstab(boss, 'Sale', 'amounts', { filters: { sal_shop__sho_city: 'O*' } }),
    )
    expect(amounts).toStrictEqual([
      {
        sal_shop__sho_city: 'Oslo',
        sal_size: 'small',
        sal_day_quarter: '2026-Q1',
        sum_sal_amount: -0.3,
        pieces: 1,
        max_sal_day: '2026-01-01',
      },
    ])
  })

  test('has a total where there are no records', async () => {
    const crosstab = await service.crosstab(boss, 'Sale', 'cities', { filters: { sal_amount: '>1000' } })
    expect(crosstabTable(crosstab)).toMatchObject({
      rows: [
        [[], []],
        [[], [0]],
      ],
      totals: [0],
    })
    expect(crosstabCubes(crosstab)).toStrictEqual([])
  })

  test('gives pages of lines, which together are the whole table, and counts their lines', async () => {
    const whole = await service.crosstab(boss, 'Sale', 'amounts')
    const pages = [0, 1, 2].map((page) => service.crosstab(boss, 'Sale', 'amounts', { page, pageSize: 2 }))
    const places = (await Promise.all(pages)).map(({ linePlaces }) => linePlaces)
    expect(places).toStrictEqual([whole.linePlaces.slice(0, 4), whole.linePlaces.slice(4), []])
    expect(places[1]?.at(-1)).toStrictEqual([])
    const counted = service.countCrosstab(boss, 'Sale', 'amounts', { page: 1, pageSize: 3 })
    await expect(counted).resolves.toStrictEqual({ count: 4, page: 1, maxpage: 1, pagesize: 3 })
    const none = { filters: { sal_amount: '>1000' }, page: 0 }
    await expect(service.crosstab(boss, 'Sale', 'cities', none)).resolves.toMatchObject({ linePlaces: [[]] })
    await expect(service.countCrosstab(boss, 'Sale', 'cities', none)).resolves.toMatchObject({ count: 0, maxpage: 0 })
  })

  test('counts lines without columns and values, which the store need not work out', async () => {
    const aggregate = vi.spyOn(store, 'aggregate')
    try {
      await service.countCrosstab(boss, 'Sale', 'amounts')
      const whole = service.model.object('Sale').crosstabs.get('amounts')
      const groups = whole?.lines.map(({ field, by }) => ({ field: field.name, by }))
      expect(aggregate.mock.calls.map(([, query]) => [query.groups, query.values])).toStrictEqual([[groups, []]])
    } finally {
      aggregate.mockRestore()
    }
  })

  test('sorts lines by their fields and by values, subtotals with their lines', async () => {
    const placesBy = async (...order: string[]) => {
      const crosstab = await service.crosstab(boss, 'Sale', 'amounts', {
        order: order.map((name) => ({ field: name.replace('-', ''), descending: name.startsWith('-') })),
      })
      return crosstab.linePlaces.map((place) => place.join('/'))
    }
    expect(await placesBy('-sal_shop__sho_city', 'sal_size')).toStrictEqual([
      'Paris/small',
      'Paris/large',
      'Paris',
      'Oslo/small',
      'Oslo',
      '/',
      '',
      '',
    ])
    expect(await placesBy('-sum_sal_amount')).toStrictEqual([
      'Paris/large',
      'Paris/small',
      'Paris',
      'Oslo/small',
      'Oslo',
      '/',
      '',
      '',
    ])
    expect(await placesBy('-max_sal_day', 'pieces')).toStrictEqual(await placesBy('-sal_shop__sho_city', 'sal_size'))
    await expect(placesBy('sal_day')).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      message: expect.stringContaining('cannot be sorted by "sal_day", only by "sal_shop__sho_city", "sal_size"'),
    })
  })

  test('counts the records only that the user may read', async () => {
    const crosstab = await service.crosstab(user({ filter: "sal_size = 'small'" }), 'Sale', 'cities')
    expect(crosstabTable(crosstab).totals).toStrictEqual([3])
  })

  test('does not exist for a user who may not use it or not see a field in it', async () => {
    const unknown = { code: 'ERR_NOT_FOUND', message: expect.stringContaining('Pivot table "') as string }
    await expect(service.crosstab(boss, 'Sale', 'nothing')).rejects.toMatchObject(unknown)
    await expect(service.crosstab(user({ crosstabs: ['ids'] }), 'Sale', 'cities')).rejects.toMatchObject(unknown)
    await expect(service.crosstab(user({ hidden: ['sal_shop'] }), 'Sale', 'cities')).rejects.toMatchObject(unknown)
    await expect(service.crosstab(user({ hidden: ['sal_pieces'] }), 'Sale', 'amounts')).rejects.toMatchObject(unknown)
    await expect(service.crosstab(user({}), 'Sale', 'bosses')).rejects.toMatchObject(unknown)
    await expect(service.crosstab(user({}, ['BOSS']), 'Sale', 'bosses')).resolves.toBeDefined()
    await expect(service.crosstab(user({ letters: 'C' }), 'Sale', 'cities')).rejects.toMatchObject({
      code: 'ERR_RIGHT',
    })
  })

  test('refuses filters as a search does', async () => {
    const hidden = service.crosstab(user({ hidden: ['sal_void'] }), 'Sale', 'cities', { filters: { sal_void: '1' } })
    await expect(hidden).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })

  test('refuses more cells than an answer should have', async () => {
    const many = createMemoryStore()
    await many.transaction(async (session) => {
      const select = model.object('Sale').select(['row_id'])
      for (let n = 0; n < mostCells; n++) await session.insert(model.object('Sale'), {}, select)
    })
    const large = createBusinessObjects({ model, store: many })
    const fits = await large.crosstab(boss, 'Sale', 'ids')
    expect(crosstabCubes(fits)).toHaveLength(mostCells)
    // The total is one cell more.
    expect(() => crosstabTable(fits)).toThrow(/more than 50000 cells; filter/)
    await large.create(boss, 'Sale', {})
    await expect(large.crosstab(boss, 'Sale', 'ids')).rejects.toMatchObject({ status: 400, code: 'ERR_BAD_REQUEST' })
    const one = large.crosstab(boss, 'Sale', 'ids', { filters: { row_id: '1' } })
    await expect(one).resolves.toMatchObject({ linePlaces: [['1'], []] })
  })
})
