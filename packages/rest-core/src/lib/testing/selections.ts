import { beforeAll, describe, expect, test } from 'vitest'
import type { BusinessRecord, ObjectModel, Selection } from '../model/model.js'
import type { Values } from '../store.js'
import { item, model, note, person, region } from './model.js'
import { everything, readAll } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

export function testSelections(factory: StoreFactory): void {
  describe('selections', () => {
    const used = useStore(factory, model)
    const records = new Map<ObjectModel, BusinessRecord>()

    beforeAll(async () => {
      const insert = async (object: ObjectModel, values: Values): Promise<string> => {
        const record = await used.store.insert(object, values, everything(object))
        records.set(object, record)
        return record.row_id
      }
      const parent = await insert(region, { reg_code: unique('region'), created_by: 'me' })
      const home = await insert(region, {
        reg_code: unique('region'),
        reg_name: 'Home',
        reg_seaside: true,
        reg_parent: parent,
      })
      const owner = await insert(person, { per_last: unique('person'), per_first: 'a', per_region: home })
      const owned = await insert(item, {
        itm_code: unique('item'),
        itm_owner: owner,
        itm_list: ['red'],
        itm_password: 'secret',
      })
      await insert(note, { not_item: owned, not_rank: 1 })
    })

    /** Expects exactly these fields, in this order, from every call that answers records. */
    async function expectFields(object: ObjectModel, select: Selection): Promise<void> {
      const record = records.get(object) as BusinessRecord
      const where = { op: '=', field: 'row_id', value: record.row_id } as const
      const expected = select.fields.map(({ name }) => [name, record[name]])
      const [found] = await readAll(used.store.search(object, { select, where, order: object.order }))
      expect(Object.entries(found ?? {}), `search ${select.key}`).toStrictEqual(expected)
      const got = await used.store.get(object, record.row_id, { select })
      expect(Object.entries(got ?? {}), `get ${select.key}`).toStrictEqual(expected)
      const updated = await used.store.update(object, record.row_id, {}, { select })
      expect(Object.entries(updated ?? {}), `update ${select.key}`).toStrictEqual(expected)
    }

    for (const object of model.objects.values()) {
      test(`every field of ${object.name} is answered alone, with the row id`, async () => {
        for (const name of object.readable.keys()) await expectFields(object, object.select([name]))
      })

      test(`${object.name} is answered by default as its model says, and whole when asked for`, async () => {
        await expectFields(object, object.selection)
        await expectFields(object, everything(object))
        await expectFields(object, object.select([...object.readable.keys()].toReversed()))
      })
    }

    test('insert answers the selection', async () => {
      const { itm_owner } = records.get(item) as BusinessRecord
      const select = item.select(['itm_owner__per_last', 'created_by', 'itm_string'])
      const values = { itm_code: unique('item'), itm_string: 'a', itm_owner: itm_owner as string, created_by: 'you' }
      const record = await used.store.insert(item, values, select)
      const { per_last } = records.get(person) as BusinessRecord
      expect(Object.entries(record)).toStrictEqual([
        ['row_id', record.row_id],
        ['itm_owner__per_last', per_last],
        ['created_by', 'you'],
        ['itm_string', 'a'],
      ])
    })

    test('conditions and sorts work on fields that are not answered', async () => {
      const { row_id, itm_code } = records.get(item) as BusinessRecord
      const select = item.select(['itm_code'])
      const where = { op: '=', field: 'itm_owner__per_region__reg_name', value: 'Home' } as const
      const order = [
        { field: 'itm_owner__per_region__reg_parent__reg_code', descending: true },
        { field: 'itm_integer', descending: false },
        ...item.order,
      ]
      const found = await readAll(used.store.search(item, { select, where, order }))
      expect(found).toContainEqual({ row_id, itm_code })
      for (const record of found) expect(Object.keys(record)).toStrictEqual(['row_id', 'itm_code'])
      expect(await used.store.get(item, row_id, { select, where })).toStrictEqual({ row_id, itm_code })
    })
  })
}
