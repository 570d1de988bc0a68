import { beforeAll, describe, expect, test } from 'vitest'
import { compareRecords } from '../filter/compare.js'
import type { Filter } from '../filter/filter.js'
import { matches } from '../filter/matches.js'
import type { BusinessRecord, ObjectModel, Order, ReferenceModel } from '../model/model.js'
import { chainOf } from '../rights/links.js'
import type { Guard } from '../store.js'
import { insertDataSet, type DataSet } from './data-set.js'
import { generateFilter } from './generate-filter.js'
import { item, model, note, person } from './model.js'
import { createRandom, type Random } from './random.js'
import { everything, readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'
import { valueBehind } from './value-behind.js'

const rounds = 12
const byId: Order = { field: 'row_id', descending: false }

export function testGuards(factory: StoreFactory, seed: number): void {
  describe('guards of linked rows', () => {
    const used = useStore(factory, model)
    let data: DataSet
    beforeAll(async () => {
      data = await insertDataSet(used.store, seed)
    }, 60_000)

    function filterOf(random: Random, object: ObjectModel, depth: number): Filter {
      const records = data.get(object) ?? []
      return generateFilter(random, { object, records, asciiPatterns: used.store.capabilities.likeFoldsUnicode }, depth)
    }

    /** A guard on some of the chains of references of the object; some filters are about joined fields of their own. */
    function generateGuards(random: Random, object: ObjectModel): Guard[] {
      const paths = object.joined.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1)))
      const chains = new Map(paths.map((path) => [chainOf(path), path]))
      return [...chains.values()]
        .filter(() => !random.oneIn(3))
        .map((path) => ({ path, where: filterOf(random, (path.at(-1) as ReferenceModel).target, 2) }))
    }

    /** The records as they must be seen through the guards: what is reached through a row that does not match is empty. */
    function seenRecords(object: ObjectModel, guards: readonly Guard[]): BusinessRecord[] {
      const wheres = new Map(guards.map(({ path, where }) => [chainOf(path), where]))
      const sees = (path: readonly ReferenceModel[], linked: BusinessRecord): boolean => {
        const where = wheres.get(chainOf(path))
        return !where || matches(where, linked, (path.at(-1) as ReferenceModel).target)
      }
      return (data.get(object) ?? []).map(
        (record) =>
          Object.fromEntries(
            [...object.readable.values()].map((field) => [field.name, valueBehind(data, record, field, sees)]),
          ) as BusinessRecord,
      )
    }

    for (const object of [person, item, note]) {
      test(`records of ${object.name} are answered, found, sorted, counted and grouped as they are seen`, async () => {
        const random = createRandom(seed)
        const joined = object.joined.filter(({ type }) => type.ordered)
        const select = everything(object)
        const whole = data.get(object) ?? []
        let blanked = 0
        for (let round = 0; round < rounds; round++) {
          const guards = generateGuards(random, object)
          const shown = JSON.stringify({ seed, round, guards: guards.map(({ path, where }) => [chainOf(path), where]) })
          const seen = seenRecords(object, guards)
          blanked += seen.filter((record, at) => JSON.stringify(record) !== JSON.stringify(whole[at])).length

          const field = random.pick(joined)
          const order = [{ field: field.name, descending: random.oneIn(2) }, byId]
          const sorted = seen.toSorted(compareRecords(order, object))
          expect(await readAll(used.store.search(object, { select, order, guards })), shown).toStrictEqual(sorted)
          const page = used.store.search(object, { select, order: [byId], limit: 5, offset: 3, guards })
          expect(await readAll(page), shown).toStrictEqual(seen.slice(3, 8))
          const { row_id: id } = random.pick(seen)
          const got = await used.store.get(object, id, { select, guards })
          expect(got, shown).toStrictEqual(seen.find(({ row_id: each }) => each === id))

          const [trusted, asked] = [filterOf(random, object, 2), filterOf(random, object, 2)]
          const where: Filter = { op: random.pick(['and', 'or']), terms: [trusted, { op: 'guarded', terms: [asked] }] }
          const ids = sorted.map(({ row_id: each }) => each)
          const found = ids.filter((each) => {
            const stored = matches(trusted, whole.find(({ row_id: own }) => own === each) as BusinessRecord, object)
            const visible = matches(asked, seen.find(({ row_id: own }) => own === each) as BusinessRecord, object)
            return where.op === 'and' ? stored && visible : stored || visible
          })
          const filtered = `${shown} ${JSON.stringify(where)}`
          const rows = await readAll(used.store.search(object, { select: object.select([]), where, order, guards }))
          expect(
            rows.map(({ row_id: each }) => each),
            filtered,
          ).toStrictEqual(found)
          expect(await used.store.count(object, where, { guards }), filtered).toBe(found.length)

          const values = [{ function: 'count' }, { function: 'count', field: field.name }] as const
          const groups = await used.store.aggregate(object, { groups: [{ field: field.name }], values, guards })
          const counts = new Map<string, number>()
          for (const record of seen) {
            const value = JSON.stringify(record[field.name])
            counts.set(value, (counts.get(value) ?? 0) + 1)
          }
          const grouped = groups.map((row): [string, unknown] => [JSON.stringify(row.groups[0]), row.values[0]])
          expect(new Map(grouped), shown).toStrictEqual(counts)
        }
        // Guards that hide nothing would show little.
        expect(blanked).toBeGreaterThan(whole.length)
      })
    }

    test('a guarded filter without guards is refused, so that a forgotten one shows nothing', async () => {
      const where: Filter = { op: 'guarded', terms: [{ op: 'notNull', field: 'itm_owner__per_last' }] }
      await expect((async () => used.store.count(item, where))()).rejects.toThrow('needs the guards of its query')
    })
  })
}
