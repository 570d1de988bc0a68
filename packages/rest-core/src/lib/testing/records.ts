import { describe, expect, test } from 'vitest'
import type { Filter } from '../filter/filter.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import type { Values } from '../store.js'
import { core } from './core.js'
import { edgeValues } from './edge-values.js'
import { expectIsStoreError } from './failures.js'
import { item, model, note, person, region } from './model.js'
import { everything } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

/** Texts that are no row id as this project writes them, though some databases would read a number in them. */
export const strangeIds = [
  '',
  '0',
  '-0',
  '00',
  '+1',
  '01',
  ' 1',
  '1 ',
  '1.0',
  '1e0',
  '0x1',
  '1_0',
  '１',
  'abc',
  "1' or '1'='1",
  'NaN',
  'null',
  '999999999999999999999999',
]

export function testRecords(factory: StoreFactory): void {
  describe('records', core(), () => {
    const used = useStore(factory, model)

    function insertItem(values: Values = {}): Promise<BusinessRecord> {
      return used.store.insert(item, { itm_code: unique('item'), ...values }, everything(item))
    }

    function read(object: ObjectModel, rowId: string, where?: Filter): Promise<BusinessRecord | undefined> {
      return used.store.get(object, rowId, { select: everything(object), where })
    }

    for (const [name, values] of Object.entries(edgeValues)) {
      test(`insert, get and update keep every value of ${name}`, async () => {
        const field = item.readable.get(name) as (typeof item.fields)[number]
        const changing = await insertItem()
        for (const value of values) {
          // A value of another form than the one of its type would make the store's answer look wrong.
          expect(field.type.parse(value, field)).toStrictEqual(value)
          const inserted = await insertItem({ [name]: value })
          expect(inserted[name]).toStrictEqual(value)
          expect((await read(item, inserted.row_id))?.[name]).toStrictEqual(value)
          const updated = await used.store.update(
            item,
            changing.row_id,
            { [name]: value },
            { select: item.select([name]) },
          )
          expect(updated).toStrictEqual({ row_id: changing.row_id, [name]: value })
          expect((await read(item, changing.row_id))?.[name]).toStrictEqual(value)
        }
        const emptied = await used.store.update(
          item,
          changing.row_id,
          { [name]: field.type.empty },
          { select: everything(item) },
        )
        expect(emptied).toStrictEqual(changing)
        expect(await read(item, changing.row_id)).toStrictEqual(changing)
      })
    }

    test('insert leaves what is not given empty', async () => {
      const itm_code = unique('item')
      const record = await used.store.insert(item, { itm_code }, everything(item))
      const expected = Object.fromEntries(everything(item).fields.map(({ name, type }) => [name, type.empty]))
      expect(record).toStrictEqual({ ...expected, row_id: record.row_id, itm_code })
      expect(await read(item, record.row_id)).toStrictEqual(record)
    })

    test('insert takes empty values', async () => {
      const empties = Object.fromEntries(
        [...item.fields, ...item.technical].map(({ name, type }) => [name, type.empty]),
      )
      const record = await used.store.insert(item, { ...empties, itm_code: unique('item') }, everything(item))
      expect(record).toStrictEqual({ ...(await insertItem()), row_id: record.row_id, itm_code: record.itm_code })
    })

    test('insert gives every row an id of its own, written as a whole number', async () => {
      const records = await Promise.all(Array.from({ length: 20 }, () => insertItem()))
      const ids = records.map((record) => record.row_id)
      expect(new Set(ids).size).toBe(20)
      for (const id of ids) expect(id).toMatch(/^[1-9]\d*$/)
    })

    test('insert and update write the technical fields like any other', async () => {
      const technical = {
        created_dt: '2024-02-29 12:00:00',
        created_by: 'ünï',
        updated_dt: '2024-03-01 00:00:00',
        updated_by: 'b',
      }
      const record = await insertItem(technical)
      expect(record).toMatchObject(technical)
      const later = { updated_dt: '2025-01-01 00:00:00', updated_by: 'c' }
      expect(await used.store.update(item, record.row_id, later, { select: everything(item) })).toStrictEqual({
        ...record,
        ...later,
      })
    })

    test('insert and update work on a table and columns named by reserved words', async () => {
      const record = await used.store.insert(note, { not_text: 'a', not_rank: 1 }, everything(note))
      const answer = await used.store.insert(note, { not_text: 'b', not_reply_to: record.row_id }, everything(note))
      expect(await read(note, answer.row_id)).toMatchObject({
        not_text: 'b',
        not_rank: null,
        not_reply_to__not_text: 'a',
      })
      expect(
        await used.store.update(note, record.row_id, { not_rank: 2 }, { select: note.select(['not_rank']) }),
      ).toStrictEqual({
        row_id: record.row_id,
        not_rank: 2,
      })
    })

    test('update changes the given fields of one row only', async () => {
      const [changed, other] = [
        await insertItem({ itm_string: 'a', itm_integer: 1 }),
        await insertItem({ itm_string: 'a' }),
      ]
      const updated = await used.store.update(item, changed.row_id, { itm_string: 'b' }, { select: everything(item) })
      expect(updated).toStrictEqual({ ...changed, itm_string: 'b' })
      expect(await read(item, changed.row_id)).toStrictEqual(updated)
      expect(await read(item, other.row_id)).toStrictEqual(other)
    })

    test('update that changes nothing answers the row', async () => {
      const record = await insertItem({ itm_string: 'same' })
      const options = { select: everything(item) }
      expect(await used.store.update(item, record.row_id, { itm_string: 'same' }, options)).toStrictEqual(record)
      expect(await used.store.update(item, record.row_id, {}, options)).toStrictEqual(record)
      const where = { op: '=', field: 'itm_string', value: 'other' } as const
      expect(await used.store.update(item, record.row_id, {}, { ...options, where })).toBeUndefined()
    })

    test('update answers the joined fields of a new reference', async () => {
      const home = await used.store.insert(region, { reg_code: unique('region'), reg_name: 'Home' }, everything(region))
      const owner = { per_last: unique('person'), per_first: 'a', per_region: home.row_id }
      const { row_id } = await used.store.insert(person, owner, everything(person))
      const record = await insertItem()
      const updated = await used.store.update(item, record.row_id, { itm_owner: row_id }, { select: item.selection })
      expect(updated).toMatchObject({
        itm_owner: row_id,
        itm_owner__per_last: owner.per_last,
        itm_owner__per_region__reg_name: 'Home',
      })
    })

    test('delete removes one row, once', async () => {
      const [gone, kept] = [await insertItem(), await insertItem()]
      expect(await used.store.delete(item, gone.row_id)).toBe(true)
      expect(await used.store.delete(item, gone.row_id)).toBe(false)
      expect(await read(item, gone.row_id)).toBeUndefined()
      expect(
        await used.store.update(item, gone.row_id, { itm_string: 'x' }, { select: item.selection }),
      ).toBeUndefined()
      expect(await read(item, kept.row_id)).toStrictEqual(kept)
    })

    test('get, update and delete find nothing under an id that no row has', async () => {
      const record = await insertItem()
      const before = await used.store.count(item)
      for (const id of [
        ...strangeIds,
        '9223372036854775807',
        `0${record.row_id}`,
        `${record.row_id}.0`,
        ` ${record.row_id}`,
        `${record.row_id}x`,
      ]) {
        expect(await read(item, id), `get "${id}"`).toBeUndefined()
        expect(
          await used.store.update(item, id, { itm_string: 'x' }, { select: item.selection }),
          `update "${id}"`,
        ).toBeUndefined()
        expect(await used.store.delete(item, id), `delete "${id}"`).toBe(false)
      }
      expect(await used.store.count(item)).toBe(before)
      expect(await read(item, record.row_id)).toStrictEqual(record)
    })

    test('get, update and delete find the row only when it matches the condition', async () => {
      const home = await used.store.insert(region, { reg_code: unique('region') }, everything(region))
      const values = { per_last: unique('person'), per_first: 'a', per_region: home.row_id }
      const record = await used.store.insert(person, values, everything(person))
      const select = everything(person)
      const no: Filter = { op: '=', field: 'per_region__reg_code', value: 'elsewhere' }
      const yes: Filter = {
        op: 'and',
        terms: [
          { op: '=', field: 'per_region__reg_code', value: home.reg_code as string },
          { op: '=', field: 'per_first', value: 'a' },
        ],
      }

      expect(await read(person, record.row_id, no)).toBeUndefined()
      expect(await used.store.update(person, record.row_id, { per_first: 'b' }, { select, where: no })).toBeUndefined()
      expect(await used.store.delete(person, record.row_id, no)).toBe(false)
      expect(await read(person, record.row_id, yes)).toStrictEqual(record)

      // The condition is about the row before the change.
      const updated = await used.store.update(person, record.row_id, { per_first: 'b' }, { select, where: yes })
      expect(updated).toStrictEqual({ ...record, per_first: 'b' })
      expect(await used.store.delete(person, record.row_id, yes)).toBe(false)
      const changed: Filter = { op: '=', field: 'per_first', value: 'b' }
      expect(await used.store.delete(person, record.row_id, changed)).toBe(true)
    })

    test('a record and the values it was created from may be changed by their owner', async () => {
      const values = { itm_code: unique('item'), itm_list: ['red'], itm_object: { list: [1] } }
      const record = await used.store.insert(item, values, everything(item))
      values.itm_list.push('ed')
      values.itm_object.list.push(2)
      ;(record.itm_list as string[]).push('ed')
      ;(record.itm_object as { list: number[] }).list.push(2)
      record.itm_code = 'x'
      expect(await read(item, record.row_id)).toMatchObject({ itm_list: ['red'], itm_object: { list: [1] } })
    })

    test('a value that is too large is kept whole or refused, never cut', async () => {
      const tooLarge: Values = {
        itm_string: 'x'.repeat(256),
        itm_integer: 1e15,
        itm_decimal: 1e13,
        itm_exact: '12345678901234567890123456789',
      }
      for (const [name, value] of Object.entries(tooLarge)) {
        const attempt = insertItem({ [name]: value }).then((record) => read(item, record.row_id))
        const result = await attempt.catch((error: unknown) => error)
        if (result instanceof Error) expectIsStoreError('value', result, name)
        else expect((result as BusinessRecord)[name]).toStrictEqual(value)
      }
    })

    test('another store on the same data reads what was written', async ({ skip }) => {
      const other = await used.reopen()
      if (!other) return skip('the factory gives no "reopen"')
      const record = await insertItem({ itm_string: 'ü', itm_object: { a: [1] } })
      expect(await other.get(item, record.row_id, { select: everything(item) })).toStrictEqual(record)
      expect(await other.delete(item, record.row_id)).toBe(true)
      expect(await read(item, record.row_id)).toBeUndefined()
    })

    test('capabilities are frozen and have a name', () => {
      expect(Object.isFrozen(used.store.capabilities)).toBe(true)
      expect(used.store.capabilities.name).toMatch(/^[a-z][a-z0-9-]*$/)
    })

    test('ping resolves', async () => {
      await expect(used.store.ping()).resolves.toBeUndefined()
    })
  })
}
