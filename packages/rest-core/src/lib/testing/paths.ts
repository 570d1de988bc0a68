import { beforeAll, describe, expect, test } from 'vitest'
import { compareRecords } from '../filter/compare.js'
import type { Filter } from '../filter/filter.js'
import { matches } from '../filter/matches.js'
import type { BusinessRecord, ObjectModel, Order, ReadableField, ReferenceModel } from '../model/model.js'
import { systemPrincipal } from '../rights/principal.js'
import { chainOf } from '../rights/links.js'
import type { SearchRequest } from '../service/business-objects.js'
import { createBusinessObjects } from '../service/create-business-objects.js'
import type { Guard } from '../store.js'
import { insertDataSet, type DataSet } from './data-set.js'
import { generateFilter } from './generate-filter.js'
import { item, model, note, person } from './model.js'
import { randomPath } from './random-path.js'
import { createRandom, type Random } from './random.js'
import { readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'
import { valueBehind } from './value-behind.js'

const rounds = 16
const byId: Order = { field: 'row_id', descending: false }
const somebody = systemPrincipal({ login: 'somebody' })

/** Fields of linked objects that no `display` lists, up to five references away. */
export function testPaths(factory: StoreFactory, seed: number): void {
  describe('fields by paths', () => {
    const used = useStore(factory, model)
    let data: DataSet
    beforeAll(async () => {
      data = await insertDataSet(used.store, seed)
    }, 60_000)

    /** Some paths, the own fields of the object, and its records with all of them. */
    function generateFields(random: Random, object: ObjectModel): readonly ReadableField[] {
      const paths = Array.from({ length: 5 }, () => randomPath(random, object) as ReadableField)
      return [object.id, random.pick(object.fields), ...new Map(paths.map((field) => [field.name, field])).values()]
    }

    function recordsWith(
      object: ObjectModel,
      fields: readonly ReadableField[],
      sees?: (path: readonly ReferenceModel[], linked: BusinessRecord) => boolean,
    ): BusinessRecord[] {
      return (data.get(object) ?? []).map(
        (record) =>
          Object.fromEntries(
            fields.map((field) => [field.name, valueBehind(data, record, field, sees)]),
          ) as BusinessRecord,
      )
    }

    function withFields(object: ObjectModel, record: BusinessRecord, where: Filter): BusinessRecord {
      const names = [...namesOf(where)]
      const fields = names.map((name) => [name, valueBehind(data, record, object.field(name) as ReadableField)])
      return Object.fromEntries(fields) as BusinessRecord
    }

    function filterOf(random: Random, object: ObjectModel, fields: readonly ReadableField[]): Filter {
      const source = { object, fields, records: recordsWith(object, fields) }
      return generateFilter(random, { ...source, asciiPatterns: used.store.capabilities.likeFoldsUnicode }, 4)
    }

    function orderOf(random: Random, fields: readonly ReadableField[]): Order[] {
      // Databases may compare the first thousands of characters only.
      const sortable = fields.filter(({ type, name }) => type.ordered && type.name !== 'text' && name !== 'row_id')
      const names = sortable.length === 0 ? [] : [random.pick(sortable).name, random.pick(sortable).name]
      return [...[...new Set(names)].map((field) => ({ field, descending: random.oneIn(2) })), byId]
    }

    for (const object of [person, item, note]) {
      test(`fields far from ${object.name} are answered, filtered, sorted, counted and grouped`, async () => {
        const random = createRandom(seed)
        let useful = 0
        let longest = 0
        for (let round = 0; round < rounds; round++) {
          const fields = generateFields(random, object)
          const select = object.select(fields.map(({ name }) => name))
          const [order, where] = [orderOf(random, fields), filterOf(random, object, fields)]
          const shown = JSON.stringify({ seed, round, fields: select.key, order, where })
          longest = Math.max(longest, ...fields.map(({ path }) => path.length))

          const all = recordsWith(object, fields)
          const expected = all
            .filter((record) => matches(where, record, object))
            .toSorted(compareRecords(order, object))
          if (expected.length > 0 && expected.length < all.length) useful += 1
          const found = await readAll(used.store.search(object, { select, where, order }))
          expect(found, shown).toStrictEqual(expected)
          const page = await readAll(used.store.search(object, { select, where, order, limit: 3, offset: 2 }))
          expect(page, shown).toStrictEqual(expected.slice(2, 5))
          expect(await used.store.count(object, where), shown).toBe(expected.length)
          const [first] = expected
          if (first) {
            expect(await used.store.get(object, first.row_id, { select, where }), shown).toStrictEqual(first)
            expect(await used.store.update(object, first.row_id, {}, { select, where }), shown).toStrictEqual(first)
          }
          if (!used.store.capabilities.aggregation) continue
          const group = order[0]?.field as string
          const values = [{ function: 'count' }] as const
          const groups = await used.store.aggregate(object, { groups: [{ field: group }], values, where })
          const counts = groups.map((row): [string, unknown] => [JSON.stringify(row.groups[0]), row.values[0]])
          expect(new Map(counts), shown).toStrictEqual(countsOf(expected, group))
        }
        expect(useful).toBeGreaterThan(0)
        expect(longest).toBeGreaterThan(object === note ? 4 : 1)
      })

      test(`pages by cursor over fields far from ${object.name} give each record once`, async () => {
        const random = createRandom(seed)
        const service = createBusinessObjects({ model, store: used.store, documents: {} as never })
        for (let round = 0; round < rounds / 2; round++) {
          const fields = generateFields(random, object)
          const asked = orderOf(random, fields).slice(0, -1)
          const pageSize = Math.ceil((data.get(object)?.length ?? 0) / 5)
          const found: string[] = []
          for (let cursor: string | undefined = ''; cursor !== undefined;) {
            const request: SearchRequest = { order: asked, cursor, pageSize, fields: ['row_id'] }
            const page: BusinessRecord[] = await readAll(await service.search(somebody, object.name, request))
            found.push(...page.map(({ row_id: id }) => id))
            const last = page.at(-1)
            cursor = last && service.nextCursor(somebody, object.name, request, last)
          }
          const order = [...asked, { field: 'row_id', descending: asked.at(-1)?.descending ?? false }]
          const sorted = recordsWith(object, fields).toSorted(compareRecords(order, object))
          expect(found, JSON.stringify({ seed, round, order })).toStrictEqual(sorted.map(({ row_id: id }) => id))
        }
      })

      test(`guards on every step hide what lies far from ${object.name}`, async () => {
        const random = createRandom(seed)
        let blanked = 0
        for (let round = 0; round < rounds; round++) {
          const fields = generateFields(random, object)
          const chains = new Map(
            fields
              .flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1)))
              .map((path) => [chainOf(path), path]),
          )
          const guards = [...chains.values()]
            .filter(() => random.oneIn(2))
            .map((path): Guard => {
              const { target } = path.at(-1) as ReferenceModel
              return { path, where: filterOf(random, target, generateFields(random, target)) }
            })
          const wheres = new Map(guards.map(({ path, where }) => [chainOf(path), where]))
          const seen = recordsWith(object, fields, (path, linked) => {
            const where = wheres.get(chainOf(path))
            if (!where) return true
            const { target } = path.at(-1) as ReferenceModel
            return matches(where, withFields(target, linked, where), target)
          })
          const whole = recordsWith(object, fields)
          blanked += seen.filter((record, at) => JSON.stringify(record) !== JSON.stringify(whole[at])).length
          const [order, asked] = [orderOf(random, fields), filterOf(random, object, fields)]
          const select = object.select(fields.map(({ name }) => name))
          const where: Filter = { op: 'guarded', terms: [asked] }
          const expected = seen
            .filter((record) => matches(asked, record, object))
            .toSorted(compareRecords(order, object))
          const shown = JSON.stringify({ seed, round, asked, order, guards: [...wheres] })
          const found = await readAll(used.store.search(object, { select, where, order, guards }))
          expect(found, shown).toStrictEqual(expected)
          expect(await used.store.count(object, where, { guards }), shown).toBe(expected.length)
        }
        expect(blanked).toBeGreaterThan(rounds)
      })
    }

    test('a record that is inserted is answered with what lies far from it', async () => {
      const [linked] = (data.get(item) ?? []).filter((record) => valueBehind(data, record, home) !== '')
      const [reply] = (data.get(note) ?? []).filter((record) => record['not_item'] === linked?.row_id)
      const far = 'not_item__itm_owner__per_region__reg_code'
      const select = note.select([far, `not_reply_to__${far}`])
      const values = { not_item: linked?.row_id ?? '', not_reply_to: reply?.row_id ?? '' }
      const { row_id: id, ...rest } = await used.store.insert(note, values, select)
      await used.store.delete(note, id)
      const code = valueBehind(data, linked as BusinessRecord, home)
      expect(rest).toStrictEqual({ [far]: code, [`not_reply_to__${far}`]: reply ? code : '' })
    })
  })
}

const home = item.field('itm_owner__per_region__reg_code') as ReadableField

function countsOf(records: readonly BusinessRecord[], field: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const record of records) {
    const value = JSON.stringify(record[field])
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}

function* namesOf(filter: Filter): Iterable<string> {
  if ('field' in filter) yield filter.field
  else for (const term of filter.terms) yield* namesOf(term)
}
