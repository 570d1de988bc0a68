import { beforeAll, describe, expect, test } from 'vitest'
import { compareRecords } from '../filter/compare.js'
import type { BusinessRecord, ObjectModel, Order } from '../model/model.js'
import type { Query } from '../store.js'
import { insertDataSet, type DataSet } from './data-set.js'
import { item, model, note, region } from './model.js'
import { createRandom } from './random.js'
import { everything, readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const byId: Order = { field: 'row_id', descending: false }

export function testOrder(factory: StoreFactory, seed: number): void {
  describe('order and paging', () => {
    const used = useStore(factory, model)
    let data: DataSet
    beforeAll(async () => {
      data = await insertDataSet(used.store, seed)
    }, 60_000)

    function search(object: ObjectModel, query: Omit<Query, 'select'>): Promise<BusinessRecord[]> {
      return readAll(used.store.search(object, { select: everything(object), ...query }))
    }
    function sorted(object: ObjectModel, order: readonly Order[]): BusinessRecord[] {
      return (data.get(object) ?? []).toSorted(compareRecords(order, object))
    }

    for (const object of model.objects.values()) {
      test(`every ordered field of ${object.name} sorts up and down, empty values first and last, then by row id`, async () => {
        for (const { name, type } of object.readable.values()) {
          if (!type.ordered) continue
          for (const descending of [false, true]) {
            const order = name === 'row_id' ? [{ field: name, descending }] : [{ field: name, descending }, byId]
            const label = `${name} ${descending ? 'descending' : 'ascending'}`
            const values = (records: BusinessRecord[]) => records.map((record) => [record[name], record.row_id])
            expect(values(await search(object, { order })), label).toStrictEqual(values(sorted(object, order)))
          }
        }
      })
    }

    test('several fields sort one after the other', async () => {
      const random = createRandom(seed)
      const names = [...item.readable.values()]
        .filter(({ type, name }) => type.ordered && name !== 'row_id')
        .map(({ name }) => name)
      for (let time = 0; time < 30; time++) {
        const fields = new Set([random.pick(names), random.pick(names), random.pick(names)])
        const order = [...[...fields].map((field) => ({ field, descending: random.oneIn(2) })), byId]
        const ids = (records: BusinessRecord[]) => records.map(({ row_id }) => row_id)
        expect(ids(await search(item, { order })), JSON.stringify(order)).toStrictEqual(ids(sorted(item, order)))
      }
    })

    test('long texts sort by their end too', async () => {
      const start = 'long text '.repeat(300)
      const ids = new Map<string, string>()
      for (const end of ['b', 'a', 'c']) {
        const { row_id: id } = await used.store.insert(item, { itm_text: start + end }, item.selection)
        ids.set(end, id)
      }
      const where = { op: 'in', field: 'row_id', values: [...ids.values()] } as const
      const found = await search(item, { where, order: [{ field: 'itm_text', descending: false }, byId] })
      for (const id of ids.values()) await used.store.delete(item, id)
      expect(found.map(({ row_id }) => row_id)).toStrictEqual(['a', 'b', 'c'].map((end) => ids.get(end)))
    })

    test('row ids sort as numbers', async () => {
      const ids = (await search(item, { order: [byId] })).map(({ row_id }) => BigInt(row_id))
      expect(ids.at(-1)).toBeGreaterThanOrEqual(100n)
      expect(ids).toStrictEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    })

    test('pages cut the same sequence, without gaps and repetitions', async () => {
      for (const order of [
        [{ field: 'itm_string', descending: true }, byId],
        [{ field: 'itm_owner__per_region__reg_name', descending: false }, byId],
        [byId],
      ]) {
        const all = sorted(item, order)
        for (const limit of [1, 7, 100, 1_000]) {
          const paged: BusinessRecord[] = []
          for (let offset = 0; offset < all.length; offset += limit) {
            const page = await search(item, { order, limit, offset })
            expect(page).toHaveLength(Math.min(limit, all.length - offset))
            paged.push(...page)
          }
          expect(paged).toStrictEqual(all)
        }
      }
    })

    test('limit and offset go with a filter and each other', async () => {
      const order = [{ field: 'not_rank', descending: true }, byId]
      const where = { op: 'notNull', field: 'not_rank' } as const
      const matching = sorted(note, order).filter(({ not_rank }) => not_rank !== null)
      expect(await search(note, { order, where, limit: 5 })).toStrictEqual(matching.slice(0, 5))
      expect(await search(note, { order, where, offset: 5 })).toStrictEqual(matching.slice(5))
      expect(await search(note, { order, where, limit: 5, offset: 3 })).toStrictEqual(matching.slice(3, 8))
      expect(await search(note, { order, where, limit: 5, offset: matching.length })).toStrictEqual([])
      expect(await search(note, { order, where, limit: 0 })).toStrictEqual([])
    })

    test('count counts what search finds', async () => {
      expect(await used.store.count(region)).toBe(data.get(region)?.length)
      expect(await used.store.count(item, { op: '=', field: 'itm_boolean', value: true })).toBe(
        data.get(item)?.filter(({ itm_boolean }) => itm_boolean).length,
      )
      expect(await used.store.count(item, { op: '=', field: 'itm_code', value: 'nobody' })).toBe(0)
    })
  })
}
