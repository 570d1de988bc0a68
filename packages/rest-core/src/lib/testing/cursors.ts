import { beforeAll, describe, expect, test } from 'vitest'
import { compareRecords } from '../filter/compare.js'
import type { BusinessRecord, ObjectModel, Order } from '../model/model.js'
import { systemPrincipal } from '../rights/principal.js'
import type { BusinessObjects, SearchRequest } from '../service/business-objects.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import { insertDataSet, type DataSet } from './data-set.js'
import { item, model, note } from './model.js'
import { createRandom } from './random.js'
import { readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const somebody = systemPrincipal({ login: 'somebody' })

export function testCursors(factory: StoreFactory, seed: number): void {
  describe('pages by cursor', () => {
    const used = useStore(factory, model)
    let data: DataSet
    let service: BusinessObjects
    beforeAll(async () => {
      data = await insertDataSet(used.store, seed)
      const { store } = used
      service = createBusinessObjects({ model, store, documents: {} as never })
    }, 60_000)

    async function pages(object: ObjectModel, order: readonly Order[], pageSize: number): Promise<BusinessRecord[][]> {
      const found: BusinessRecord[][] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const request: SearchRequest = { order, pageSize, cursor, fields: ['row_id'] }
        const page: BusinessRecord[] = await readAll(await service.search(somebody, object.name, request))
        found.push(page)
        const last = page.at(-1)
        cursor = last && service.nextCursor(somebody, object.name, request, last)
      }
      return found
    }

    function sorted(object: ObjectModel, order: readonly Order[]): string[] {
      const byId: Order = { field: 'row_id', descending: order.at(-1)?.descending ?? false }
      const ordered = (data.get(object) ?? []).toSorted(compareRecords([...order, byId], object))
      return ordered.map(({ row_id: id }) => id)
    }

    for (const object of [item, note]) {
      test(`every ordered field of ${object.name}, up and down, gives each record once`, async () => {
        const size = Math.ceil((data.get(object)?.length ?? 0) / 7)
        for (const { name, type } of object.readable.values()) {
          if (!type.ordered || type.name === 'password') continue
          for (const descending of [false, true]) {
            const order = [{ field: name, descending }]
            const found = (await pages(object, order, size)).flat().map(({ row_id: id }) => id)
            expect(found, `${name} ${descending ? 'descending' : 'ascending'}`).toStrictEqual(sorted(object, order))
          }
        }
      })
    }

    test('several fields in mixed directions, pages of one record, the last one without a cursor', async () => {
      const random = createRandom(seed)
      const names = [...note.readable.values()].filter(({ type }) => type.ordered).map(({ name }) => name)
      for (let time = 0; time < 8; time++) {
        const fields = [...new Set([random.pick(names), random.pick(names), random.pick(names)])]
        const order = fields.map((field) => ({ field, descending: random.oneIn(2) }))
        const found = await pages(note, order, 1)
        expect(found.every(({ length }) => length === 1)).toBe(true)
        const ids = found.flat().map(({ row_id: id }) => id)
        expect(ids, JSON.stringify(order)).toStrictEqual(sorted(note, order))
      }
    })
  })
}
