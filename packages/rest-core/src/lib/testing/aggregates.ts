import { beforeAll, describe, expect, test } from 'vitest'
import type { Filter } from '../filter/filter.js'
import { createMemoryStore } from '../memory/memory-store.js'
import type { ObjectModel, ReadableField } from '../model/model.js'
import type { AggregateQuery, AggregateRow, ObjectStore, Values } from '../store.js'
import type { AggregateFunction, DatePart } from '../aggregate.js'
import { core } from './core.js'
import { insertDataSet, type DataSet } from './data-set.js'
import { generateFilter } from './generate-filter.js'
import { item, model, note, person, region } from './model.js'
import { createRandom, type Random } from './random.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

const parts: readonly DatePart[] = ['year', 'quarter', 'month', 'day']

export function testAggregates(factory: StoreFactory, seed: number): void {
  describe('aggregates', () => {
    describe('of generated records', () => testGenerated(factory, seed))
    describe('of chosen records', core(), () => testChosen(factory))
  })
}

/** Against the memory store with the same records. */
function testGenerated(factory: StoreFactory, seed: number): void {
  const used = useStore(factory, model)
  const memory = createMemoryStore()
  let data: DataSet
  beforeAll(async () => {
    data = await insertDataSet(used.store, seed)
    // References are compared by their ids, so both have to count alike.
    expect(await insertDataSet(memory, seed)).toStrictEqual(data)
  }, 60_000)

  async function expectSame(object: ObjectModel, query: AggregateQuery): Promise<void> {
    if (!used.store.capabilities.aggregation) {
      await expect(used.store.aggregate(object, query)).rejects.toMatchObject({ code: 'internal' })
      return
    }
    const found = sorted(await used.store.aggregate(object, query))
    expect(found, JSON.stringify(query).slice(0, 2_000)).toStrictEqual(sorted(await memory.aggregate(object, query)))
  }

  for (const object of model.objects.values()) {
    test(`every ordered field of ${object.name} groups, dates by their parts too`, async () => {
      for (const { name, type } of object.readable.values()) {
        if (!type.ordered) continue
        const values = [{ function: 'count' }, { function: 'count', field: name }] as const
        await expectSame(object, { groups: [{ field: name }], values })
        await expectSame(object, { groups: [{ field: name }], values: [] })
        if (type.name !== 'date' && type.name !== 'datetime') continue
        for (const by of parts) await expectSame(object, { groups: [{ field: name, by }], values })
      }
    })

    test(`every function works on every field of ${object.name} that it fits`, async () => {
      const values = [...object.readable.values()].flatMap((field) =>
        functionsOf(field).map((name) => ({ function: name, field: field.name })),
      )
      await expectSame(object, { groups: [], values })
      const [first] = object.fields
      await expectSame(object, { groups: [{ field: first?.name ?? 'row_id' }], values })
    })

    test(`generated groups of ${object.name}, with conditions`, async () => {
      const random = createRandom(seed)
      const source = {
        object,
        records: data.get(object) ?? [],
        asciiPatterns: used.store.capabilities.likeFoldsUnicode,
      }
      for (let time = 0; time < 40; time++) {
        const where = random.oneIn(2) ? generateFilter(random, source, 2) : undefined
        await expectSame(object, { ...generateQuery(random, object), where })
      }
    })
  }

  test('a session groups what its transaction has written', async () => {
    const query = { groups: [{ field: 'reg_seaside' }], values: [{ function: 'sum', field: 'reg_area' }] } as const
    if (!used.store.capabilities.aggregation) return
    const before = sorted(await used.store.aggregate(region, query))
    const undone = new Error('undone')
    const attempt = used.store.transaction(async (session) => {
      await session.insert(region, { reg_code: unique('region'), reg_area: '0.0000000001' }, region.selection)
      expect(sorted(await session.aggregate(region, query))).not.toStrictEqual(before)
      throw undone
    })
    await expect(attempt).rejects.toBe(undone)
    expect(sorted(await used.store.aggregate(region, query))).toStrictEqual(before)
  })
}

function testChosen(factory: StoreFactory): void {
  const used = useStore(factory, model)

  /** Groups the notes of this name, or all records of another object, and gives `[…groups, …values]`. */
  async function rows(object: ObjectModel, query: AggregateQuery): Promise<unknown[][]> {
    if (!used.store.capabilities.aggregation) return []
    return sorted(await used.store.aggregate(object, query)).map(({ groups, values }) => [...groups, ...values])
  }

  function check(name: string, work: (store: ObjectStore) => Promise<void>): void {
    test(name, async ({ skip }) => {
      if (!used.store.capabilities.aggregation) skip('The store cannot aggregate.')
      await work(used.store)
    })
  }

  /** Items that share a name; gives the condition that finds them. */
  async function insertItems(records: readonly Values[]): Promise<Filter> {
    const name = unique('items')
    await used.store.transaction(async (session) => {
      for (const values of records)
        await session.insert(item, { itm_code: unique('item'), itm_text: name, ...values }, item.select(['row_id']))
    })
    return { op: '=', field: 'itm_text', value: name }
  }

  check('without groups there is one row, without records too', async () => {
    const values = [
      { function: 'count' },
      { function: 'count', field: 'not_text' },
      { function: 'sum', field: 'not_rank' },
      { function: 'min', field: 'not_rank' },
    ] as const
    expect(await rows(note, { groups: [], values })).toStrictEqual([[0, 0, null, null]])
    expect(await rows(note, { groups: [{ field: 'not_rank' }], values })).toStrictEqual([])
  })

  check('sums of decimals are exact', async () => {
    const where = await insertItems([
      { itm_decimal: 0.1, itm_exact: 0.1 },
      { itm_decimal: 0.2, itm_exact: '0.0000000002' },
      { itm_decimal: -0.3, itm_exact: '9999999999999999999999999999.9999999999' },
      { itm_exact: '9999999999999999999999999999.9999999999' },
      {},
    ])
    const sum = (field: string) => ({ function: 'sum', field }) as const
    const values = [sum('itm_decimal'), sum('itm_exact'), { function: 'count', field: 'itm_decimal' }] as const
    expect(await rows(item, { groups: [], values, where })).toStrictEqual([['0', '20000000000000000000000000000.1', 3]])
  })

  check('sums may be larger than 64 bits', async () => {
    const records = Array.from({ length: 40 }, () => ({
      itm_big: '999999999999999999',
      itm_integer: 999_999_999_999_999,
      itm_decimal: -9_999_999_999_999.99,
    }))
    const where = await insertItems(records)
    const values = ['itm_big', 'itm_integer', 'itm_decimal'].map((field) => ({ function: 'sum', field }) as const)
    const sums = ['39999999999999999960', '39999999999999960', '-399999999999999.6']
    expect(await rows(item, { groups: [], values, where })).toStrictEqual([sums])
    await used.store.transaction(async (session) => {
      expect(await session.aggregate(item, { groups: [], values, where })).toStrictEqual([{ groups: [], values: sums }])
    })
  })

  check('texts that differ in case, accents or blanks at the end are groups of their own, empty ones too', async () => {
    const texts = ['a', 'A', 'á', 'a ', '', 'a', '😀', '～']
    const where = await insertItems(texts.map((text) => ({ itm_string: text })))
    const query = { groups: [{ field: 'itm_string' }], values: [{ function: 'count' }], where } as const
    const expected = [...new Set(texts)].map((text) => [text, texts.filter((each) => each === text).length])
    expect(await rows(item, query)).toStrictEqual(byJson(expected))
  })

  check('a missing boolean is false', async () => {
    const where = await insertItems([{ itm_boolean: true }, { itm_boolean: false }, {}])
    const query = { groups: [{ field: 'itm_boolean' }], values: [{ function: 'count', field: 'itm_boolean' }], where }
    expect(await rows(item, query as AggregateQuery)).toStrictEqual([
      [false, 2],
      [true, 1],
    ])
  })

  check('dates group by their parts, in UTC', async () => {
    const where = await insertItems([
      { itm_date: '2024-12-31', itm_datetime: '2024-12-31 23:59:59' },
      { itm_date: '2025-01-01', itm_datetime: '2025-01-01 00:00:00' },
      { itm_date: '0001-04-01', itm_datetime: '2024-03-31 02:30:00' },
      {},
    ])
    const groupsBy = async (field: string, by: DatePart) =>
      (await rows(item, { groups: [{ field, by }], values: [], where })).map(([group]) => group)
    expect(await groupsBy('itm_date', 'year')).toStrictEqual(['', '0001', '2024', '2025'])
    expect(await groupsBy('itm_date', 'quarter')).toStrictEqual(['', '0001-Q2', '2024-Q4', '2025-Q1'])
    expect(await groupsBy('itm_datetime', 'month')).toStrictEqual(['', '2024-03', '2024-12', '2025-01'])
    expect(await groupsBy('itm_datetime', 'day')).toStrictEqual(['', '2024-03-31', '2024-12-31', '2025-01-01'])
  })

  check('fields of linked objects group and add up, through empty references too', async () => {
    const insert = async (object: ObjectModel, values: Values) =>
      (await used.store.insert(object, values, object.select(['row_id']))).row_id
    const name = unique('region')
    const home = await insert(region, {
      reg_code: unique('region'),
      reg_name: name,
      reg_area: 0.1,
      reg_seaside: true,
    })
    const owner = await insert(person, { per_last: unique('person'), per_first: 'a', per_region: home })
    const homeless = await insert(person, { per_last: unique('person'), per_first: 'b' })
    const owners = [owner, owner, homeless, '']
    const where = await insertItems(owners.map((each) => ({ itm_owner: each })))
    const groups = [{ field: 'itm_owner__per_region__reg_name' }, { field: 'itm_owner__per_region__reg_seaside' }]
    expect(await rows(item, { groups, values: [{ function: 'count' }], where })).toStrictEqual(
      byJson([
        ['', false, 2],
        [name, true, 2],
      ]),
    )
    const people: Filter = { op: 'in', field: 'row_id', values: [owner, homeless] }
    const values = [
      { function: 'sum', field: 'per_region__reg_area' },
      { function: 'max', field: 'per_region__reg_area' },
    ] as const
    expect(await rows(person, { groups: [], values, where: people })).toStrictEqual([['0.1', 0.1]])
    expect(
      await rows(person, { groups: [], values, where: { op: '=', field: 'row_id', value: homeless } }),
    ).toStrictEqual([[null, null]])
  })

  check('a limit bounds the number of groups', async () => {
    const where = await insertItems([{ itm_integer: 1 }, { itm_integer: 2 }, { itm_integer: 3 }])
    const query = { groups: [{ field: 'itm_integer' }], values: [], where } as const
    expect(await rows(item, { ...query, limit: 2 })).toHaveLength(2)
    expect(await rows(item, { ...query, limit: 4 })).toHaveLength(3)
  })
}

function functionsOf({ type }: ReadableField): readonly AggregateFunction[] {
  if (!type.ordered) return []
  if (type.name === 'integer' || type.name === 'decimal') return ['count', 'sum', 'min', 'max']
  return ['date', 'datetime', 'time'].includes(type.name) ? ['count', 'min', 'max'] : ['count']
}

function generateQuery(random: Random, object: ObjectModel): Pick<AggregateQuery, 'groups' | 'values'> {
  const fields = [...object.readable.values()].filter(({ type, name }) => type.ordered && name !== 'row_id')
  const groups = Array.from({ length: random.below(4) }, () => {
    const { name, type } = random.pick(fields)
    const hasParts = (type.name === 'date' || type.name === 'datetime') && !random.oneIn(4)
    return { field: name, by: hasParts ? random.pick(parts) : undefined }
  })
  const values = Array.from({ length: random.below(4) }, () => {
    const field = random.pick(fields)
    return { function: random.pick(functionsOf(field)), field: field.name }
  })
  return { groups, values: [{ function: 'count' }, ...values] }
}

function sorted(rows: readonly AggregateRow[]): AggregateRow[] {
  return byJson(rows)
}

function byJson<T>(list: readonly T[]): T[] {
  const keys = new Map(list.map((each) => [each, JSON.stringify(each)]))
  return list.toSorted((a, b) => ((keys.get(a) as string) < (keys.get(b) as string) ? -1 : 1))
}
