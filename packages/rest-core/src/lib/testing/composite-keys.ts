import { beforeAll, describe, expect, test } from 'vitest'
import { defineObject } from '../definition/define-object.js'
import { rowIdOf } from '../fields/row-key.js'
import { compareRecords } from '../filter/compare.js'
import { matches } from '../filter/matches.js'
import type { Filter } from '../filter/filter.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord, ObjectModel, Order } from '../model/model.js'
import { storedFields } from '../portable/dump-records.js'
import { systemPrincipal } from '../rights/principal.js'
import type { SearchRequest } from '../service/business-objects.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import type { ObjectStore, Values } from '../store.js'
import { expectStoreError } from './failures.js'
import { createRandom } from './random.js'
import { everything, readAll } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

const Cart = defineObject({ name: 'Cart', fields: { car_code: { type: 'string', length: 100, key: true } } })

/** Its key holds a reference. */
const Line = defineObject({
  name: 'Line',
  fields: {
    row_id: { type: 'id', fields: ['lin_cart', 'lin_no'] },
    lin_text: { type: 'string' },
    lin_cart: { type: 'reference', object: 'Cart', onDelete: 'cascade' },
    lin_no: { type: 'integer', precision: 9, column: 'no' },
  },
})

/** A reference that may be empty. */
const Remark = defineObject({
  name: 'Remark',
  timestamps: false,
  fields: {
    rem_text: { type: 'string' },
    rem_cart: { type: 'reference', object: 'Cart' },
    rem_no: { type: 'integer', precision: 9 },
    rem_line: {
      type: 'reference',
      object: 'Line',
      via: ['rem_cart', 'rem_no'],
      display: ['lin_text', 'lin_cart__car_code'],
      onDelete: 'setNull',
    },
  },
})

/** Its key holds what it refers to, which has several fields too; it refers to itself. */
const Share = defineObject({
  name: 'Share',
  timestamps: false,
  fields: {
    row_id: { type: 'id', fields: ['shr_cart', 'shr_no', 'shr_tag'] },
    shr_cart: { type: 'reference', object: 'Cart' },
    shr_no: { type: 'integer', precision: 9 },
    shr_tag: { type: 'string', length: 40 },
    shr_line: {
      type: 'reference',
      object: 'Line',
      via: ['shr_cart', 'shr_no'],
      display: ['lin_text'],
      onDelete: 'cascade',
    },
    shr_next_tag: { type: 'string', length: 40 },
    shr_next: {
      type: 'reference',
      object: 'Share',
      via: ['shr_cart', 'shr_no', 'shr_next_tag'],
      display: ['shr_tag', 'shr_line__lin_text'],
    },
    shr_note: { type: 'string' },
  },
})

/** Keys of all kinds. */
const Odd = defineObject({
  name: 'Odd',
  timestamps: false,
  indexable: ['odd_note'],
  fields: {
    row_id: {
      type: 'id',
      fields: ['odd_text', 'odd_big', 'odd_amount', 'odd_day', 'odd_at', 'odd_time', 'odd_flag', 'odd_kind'],
    },
    odd_text: { type: 'string', length: 60 },
    odd_big: { type: 'integer', precision: 18 },
    odd_amount: { type: 'decimal', precision: 20, scale: 4 },
    odd_day: { type: 'date' },
    odd_at: { type: 'datetime' },
    odd_time: { type: 'time' },
    odd_flag: { type: 'boolean' },
    odd_kind: { type: 'enum', values: ['a', 'a~b', 'B'] },
    odd_note: { type: 'string' },
  },
})

export const compositeModel = createModel([Cart, Line, Remark, Share, Odd])
const [cart, line, remark, share, odd] = ['Cart', 'Line', 'Remark', 'Share', 'Odd'].map((name) =>
  compositeModel.object(name),
) as [ObjectModel, ObjectModel, ObjectModel, ObjectModel, ObjectModel]

const texts = [
  'a',
  'A',
  'a~b',
  'a.b',
  '..',
  '.7E',
  '~',
  '%2F',
  'a/b?c#d',
  'é',
  'e\u0301',
  '𝄞',
  'a b',
  ' a',
  "it's",
  '_',
  '-1',
  'null',
]
const numbers = ['9007199254740993', '-9007199254740993', '999999999999999999', 0, -1, 42]
const amounts = [0.0001, -12.5, '1234567890123456.7891', 0, 7]
const somebody = systemPrincipal({ login: 'somebody' })

/** Rows that are identified by several fields, and references to them. */
export function testCompositeKeys(factory: StoreFactory, seed: number): void {
  describe('keys of several fields', () => {
    const used = useStore(factory, compositeModel)

    async function insertCart(): Promise<string> {
      return (await used.store.insert(cart, { car_code: unique('cart') }, cart.select([]))).row_id
    }

    function insertLine(lin_cart: string, lin_no: number, lin_text = ''): Promise<BusinessRecord> {
      return used.store.insert(line, { lin_cart, lin_no, lin_text }, everything(line))
    }

    test('a row is inserted, read, changed and deleted by the values of its key', async () => {
      const { store } = used
      const one = await insertCart()
      const inserted = await insertLine(one, 1, 'first')
      expect(inserted).toMatchObject({ row_id: `${one}~1`, lin_cart: one, lin_no: 1, lin_text: 'first' })
      await insertLine(one, 2)
      const select = everything(line)
      expect(await store.get(line, `${one}~1`, { select })).toStrictEqual(inserted)
      expect(await store.get(line, `${one}~1`, { select: line.select(['lin_text']) })).toStrictEqual({
        row_id: `${one}~1`,
        lin_text: 'first',
      })
      expect(await store.update(line, `${one}~1`, { lin_text: 'changed' }, { select })).toStrictEqual({
        ...inserted,
        lin_text: 'changed',
      })
      expect(await store.delete(line, `${one}~1`)).toBe(true)
      expect(await store.delete(line, `${one}~1`)).toBe(false)
      expect(await store.get(line, `${one}~1`, { select })).toBeUndefined()
      expect(await store.get(line, `${one}~2`, { select })).toMatchObject({ lin_no: 2 })
    })

    test('other spellings are the id of no row', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1)
      for (const id of [
        one,
        `${one}~`,
        `${one}~1~`,
        `${one}~01`,
        `0${one}~1`,
        `${one}~+1`,
        `${one}~1.0`,
        `${one}~.31`,
        ` ${one}~1`,
        `${one}~x`,
        '~',
        '',
      ]) {
        expect(await store.get(line, id, { select: line.select([]) }), id).toBeUndefined()
        expect(await store.update(line, id, { lin_text: 'x' }, { select: line.select([]) }), id).toBeUndefined()
        expect(await store.delete(line, id), id).toBe(false)
      }
    })

    test('insert refuses a key that is taken or not whole, and nothing is written', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1)
      const before = await store.count(line)
      await expectStoreError('unique', insertLine(one, 1, 'again'))
      await expectStoreError('value', store.insert(line, { lin_cart: one, lin_text: 'no number' }, everything(line)))
      expect(await store.count(line)).toBe(before)
    })

    test('fields that form a row id do not change', async () => {
      const { store } = used
      const { row_id: id, ...values } = await insertLine(await insertCart(), 1, 'first')
      const select = everything(line)
      await expectStoreError('value', store.update(line, id, { lin_no: 2, lin_text: 'x' }, { select }))
      const same = { lin_no: 1, lin_cart: values['lin_cart'] as string, lin_text: 'changed' }
      expect(await store.update(line, id, same, { select })).toMatchObject({ row_id: id, lin_text: 'changed' })
    })

    test('references hold in both directions and show what they lead to', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1, 'first')
      const { car_code: code } = (await store.get(cart, one, { select: cart.selection })) as BusinessRecord
      const insertRemark = (values: Values) => store.insert(remark, values, everything(remark))
      const remarked = await insertRemark({ rem_cart: one, rem_no: 1 })
      expect(remarked).toMatchObject({
        rem_line: `${one}~1`,
        rem_line__lin_text: 'first',
        rem_line__lin_cart__car_code: code,
      })
      expect(await insertRemark({ rem_cart: one })).toMatchObject({ rem_line: '', rem_line__lin_text: '' })
      await expectStoreError('reference', insertRemark({ rem_cart: one, rem_no: 9 }))
      const found = await readAll(
        store.search(remark, {
          select: remark.select(['rem_line']),
          where: { op: '=', field: 'rem_line__lin_text', value: 'first' },
          order: remark.order,
        }),
      )
      expect(found).toContainEqual({ row_id: remarked.row_id, rem_line: `${one}~1` })
      for (const [where, is] of [
        [{ op: '=', field: 'rem_line', value: `${one}~1` }, true],
        [{ op: 'in', field: 'rem_line', values: [`${one}~7`, `${one}~1`, `${one}~8`] }, true],
        [{ op: '<>', field: 'rem_line', value: `${one}~1` }, false],
        [{ op: 'notIn', field: 'rem_line', values: [`${one}~1`] }, false],
        [{ op: 'null', field: 'rem_line' }, false],
        [{ op: 'notNull', field: 'rem_line' }, true],
      ] as [Filter, boolean][])
        expect(
          (await store.get(remark, remarked.row_id, { select: remark.select([]), where })) !== undefined,
          where.op,
        ).toBe(is)
      // A condition on a linked row, in a write.
      const where: Filter = { op: '=', field: 'rem_line__lin_text', value: 'first' }
      const select = everything(remark)
      expect(await store.update(remark, remarked.row_id, { rem_text: 'x' }, { select, where })).toMatchObject({
        rem_text: 'x',
        rem_line: `${one}~1`,
      })
    })

    test('a deleted row takes along, empties or keeps what refers to it', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1)
      await insertLine(one, 2)
      const insertShare = (values: Values) => store.insert(share, { shr_cart: one, ...values }, everything(share))
      await insertShare({ shr_no: 1, shr_tag: 'b/c' })
      const first = await insertShare({ shr_no: 1, shr_tag: 'a', shr_next_tag: 'b/c' })
      expect(first).toMatchObject({ row_id: `${one}~1~a`, shr_next: `${one}~1~b.2Fc`, shr_next__shr_tag: 'b/c' })
      const kept = await store.insert(remark, { rem_text: unique('remark') }, everything(remark))
      await expectStoreError('reference', store.delete(share, `${one}~1~b.2Fc`))
      await store.delete(share, first.row_id)
      await store.delete(line, `${one}~1`)
      expect(await store.get(share, `${one}~1~b.2Fc`, { select: share.select([]) })).toBeUndefined()
      expect(await store.get(remark, kept.row_id, { select: everything(remark) })).toStrictEqual(kept)
      expect(await store.get(line, `${one}~2`, { select: line.select([]) })).toBeDefined()
    })

    test('a row that refers to its own table is given back whole', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1, 'first')
      const values = { shr_cart: one, shr_no: 1, shr_tag: 'self', shr_next_tag: 'self' }
      const record = await store.insert(share, values, everything(share))
      expect(record).toMatchObject({ row_id: `${one}~1~self`, shr_next: `${one}~1~self`, shr_next__shr_tag: 'self' })
      const where: Filter = { op: '=', field: 'shr_next__shr_line__lin_text', value: 'first' }
      const options = { select: everything(share), where }
      expect(await store.update(share, record.row_id, { shr_note: 'x' }, options)).toStrictEqual({
        ...record,
        shr_note: 'x',
      })
      expect(await store.delete(share, record.row_id, { ...where, value: 'other' })).toBe(false)
    })

    test('a locked row is read, changed and seen by its id in a transaction', async () => {
      const { store } = used
      const one = await insertCart()
      await insertLine(one, 1)
      await store.transaction(async (session) => {
        for (const lock of [true, 'delete'] as const)
          expect(await session.get(line, `${one}~1`, { select: everything(line), lock })).toBeDefined()
        await session.update(line, `${one}~1`, { lin_text: 'locked' }, { select: line.select([]) })
      })
      expect(await store.get(line, `${one}~1`, { select: everything(line) })).toMatchObject({ lin_text: 'locked' })
    })

    describe('of all kinds', () => {
      let rows: BusinessRecord[] = []
      beforeAll(async () => {
        rows = await insertOdd(used.store, seed)
      }, 60_000)

      const search = (where: Filter | undefined, order: readonly Order[] = odd.order) =>
        readAll(used.store.search(odd, { select: odd.select([]), where, order }))
      const idsOf = (records: readonly BusinessRecord[]) => records.map(({ row_id: id }) => id)

      test('a row id names its row, is safe in addresses, and no other row has it', async () => {
        expect(new Set(idsOf(rows)).size).toBe(rows.length)
        for (const row of rows) {
          expect(row.row_id).toMatch(/^[\w.~-]+$/)
          expect(row.row_id).toBe(rowIdOf(odd.id.parts ?? [], ({ name }) => row[name]))
          expect(await used.store.get(odd, row.row_id, { select: everything(odd) })).toStrictEqual(row)
        }
      })

      test('rows are sorted by the fields of the row id, up and down', async () => {
        for (const descending of [false, true]) {
          const order = [{ field: 'row_id', descending }]
          expect(idsOf(await search(undefined, order))).toStrictEqual(idsOf(rows.toSorted(compareRecords(order, odd))))
        }
      })

      test('conditions on the row id', async () => {
        const random = createRandom(seed)
        for (let time = 0; time < 10; time++) {
          const [value, ...others] = [0, 1, 2, 3, 4].map(() => random.pick(rows).row_id) as [string, ...string[]]
          const filters: Filter[] = [
            ...(['=', '<>', '<', '<=', '>', '>='] as const).map((op): Filter => ({ op, field: 'row_id', value })),
            { op: 'in', field: 'row_id', values: [value, ...others.slice(0, time % 4)] },
            { op: 'notIn', field: 'row_id', values: [value, ...others.slice(0, time % 4)] },
          ]
          for (const where of filters)
            expect(idsOf(await search(where)).toSorted(), JSON.stringify(where)).toStrictEqual(
              idsOf(rows.filter((row) => matches(where, row, odd))).toSorted(),
            )
        }
        expect(await search({ op: 'null', field: 'row_id' })).toStrictEqual([])
        expect(await search({ op: '=', field: 'row_id', value: 'no id' })).toStrictEqual([])
        expect(await used.store.count(odd, { op: 'notNull', field: 'row_id' })).toBe(rows.length)
      })

      test('pages by cursor and by number give each row once', async () => {
        const service = createBusinessObjects({ model: compositeModel, store: used.store, documents: {} as never })
        for (const order of [
          [{ field: 'row_id', descending: false }],
          [{ field: 'row_id', descending: true }],
          [{ field: 'odd_flag', descending: true }],
          [
            { field: 'odd_text', descending: true },
            { field: 'odd_amount', descending: false },
          ],
        ]) {
          const found: string[] = []
          for (let cursor: string | undefined = ''; cursor !== undefined;) {
            const request: SearchRequest = { order, pageSize: 7, cursor, fields: ['row_id'] }
            const page: BusinessRecord[] = await readAll(await service.search(somebody, 'Odd', request))
            found.push(...idsOf(page))
            const last = page.at(-1)
            cursor = last && service.nextCursor(somebody, 'Odd', request, last)
          }
          const byId: Order = { field: 'row_id', descending: order.at(-1)?.descending ?? false }
          expect(found, JSON.stringify(order)).toStrictEqual(
            idsOf(rows.toSorted(compareRecords([...order, byId], odd))),
          )
        }
        const far = { select: everything(odd), order: odd.order, limit: 5, offset: 230 }
        expect(await readAll(used.store.search(odd, far))).toStrictEqual(
          rows.toSorted(compareRecords(odd.order, odd)).slice(230, 235),
        )
      })

      test('rows are counted by their id', async ({ skip }) => {
        if (!used.store.capabilities.aggregation) return skip(`${used.store.capabilities.name} does not aggregate`)
        const groups = await used.store.aggregate(odd, {
          groups: [{ field: 'row_id' }],
          values: [{ function: 'count' }, { function: 'count', field: 'row_id' }],
        })
        expect(new Set(groups.map(({ groups: [id] }) => id))).toStrictEqual(new Set(idsOf(rows)))
        expect(groups.every(({ values }) => values[0] === 1 && values[1] === 1)).toBe(true)
      })

      test('rows are found by words, the same ones by row id', async ({ skip }) => {
        if (!used.store.capabilities.indexSearch) return skip(`${used.store.capabilities.name} has no index search`)
        const words = rows.slice(0, 3)
        const index = odd.index?.words.name as string
        for (const { row_id: id } of words)
          await used.store.update(odd, id, { odd_note: 'seldom', [index]: 'seldom' }, { select: odd.select([]) })
        const hits = await used.store.searchIndex(odd, {
          select: odd.select([]),
          terms: [{ words: ['seldom'], prefix: false }],
        })
        expect(hits.map(({ record }) => record.row_id)).toStrictEqual(
          idsOf(words.toSorted(compareRecords(odd.order, odd))),
        )
        for (const { row_id: id } of words)
          await used.store.update(odd, id, { odd_note: '', [index]: '' }, { select: odd.select([]) })
      })

      test('rows are loaded as they were read', async ({ skip }) => {
        const { store } = used
        if (!store.load) return skip(`${store.capabilities.name} cannot load`)
        const select = storedFields(odd)
        const before = await readAll(store.search(odd, { select, order: odd.order }))
        for (const { row_id: id } of before) await store.delete(odd, id)
        await store.load(compositeModel, (insert) => insert(odd, before))
        expect(await readAll(store.search(odd, { select, order: odd.order }))).toStrictEqual(before)
        const broken = store.load(compositeModel, (insert) =>
          insert(remark, [{ row_id: '9999', rem_cart: '8888', rem_no: 1 }]),
        )
        await expectStoreError('reference', broken)
      })
    })

    test('sync makes such tables once, and introspection finds the keys and references', async ({ skip }) => {
      const { store } = used
      if (!store.capabilities.migrations || !store.capabilities.introspection)
        return skip(`${store.capabilities.name} has no tables`)
      expect(await store.plan(compositeModel)).toMatchObject({ steps: [] })
      const { objects } = await store.introspect()
      const named = (name: string) => objects.find((object) => object.name === name)?.fields
      expect(named('Line')?.['row_id']).toStrictEqual({ type: 'id', fields: ['lin_cart', 'no'] })
      expect(named('Line')?.['lin_cart']).toMatchObject({ type: 'reference', object: 'Cart' })
      expect(named('Remark')?.['line']).toMatchObject({ via: ['rem_cart', 'rem_no'], onDelete: 'setNull' })
      expect(named('Share')?.['line']).toMatchObject({ via: ['shr_cart', 'shr_no'], onDelete: 'cascade' })
      expect(named('Share')?.['share']).toMatchObject({ via: ['shr_cart', 'shr_no', 'shr_next_tag'] })
      // An index of words is nothing that a definition of a table would ask for.
      const others = objects.filter(({ name }) => name !== 'Odd')
      expect(await store.plan(createModel(others))).toMatchObject({ steps: [] })
    })
  })
}

async function insertOdd(store: ObjectStore, seed: number): Promise<BusinessRecord[]> {
  const random = createRandom(seed)
  const rows = new Map<string, BusinessRecord>()
  while (rows.size < 240) {
    const values: Values = {
      odd_text: random.pick(texts),
      odd_big: random.pick(numbers),
      odd_amount: random.pick(amounts),
      odd_day: random.pick(['2024-02-29', '1999-12-31']),
      odd_at: random.pick(['2024-02-29 23:59:59', '1970-01-01 00:00:00']),
      odd_time: random.pick(['00:00:00', '23:59:59']),
      odd_flag: random.oneIn(2),
      odd_kind: random.pick(['a', 'a~b', 'B']),
    }
    const id = rowIdOf(odd.id.parts ?? [], ({ name }) => values[name])
    if (!rows.has(id)) rows.set(id, await store.insert(odd, values, everything(odd)))
  }
  return [...rows.values()]
}
