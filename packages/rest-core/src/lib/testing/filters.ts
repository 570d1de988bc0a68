import { beforeAll, describe, expect, test } from 'vitest'
import type { Filter } from '../filter/filter.js'
import { matches } from '../filter/matches.js'
import type { BusinessRecord, ObjectModel } from '../model/model.js'
import { blankCode, insertDataSet, type DataSet } from './data-set.js'
import { generateFilter, generateLeaf, operatorsOf, type FilterSource } from './generate-filter.js'
import { item, model } from './model.js'
import { createRandom } from './random.js'
import { everything, readAll } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'

export function testFilters(
  factory: StoreFactory,
  settings: { readonly seed: number; readonly filters: number },
): void {
  describe('filters', () => {
    const used = useStore(factory, model)
    let data: DataSet
    beforeAll(async () => {
      data = await insertDataSet(used.store, settings.seed)
    }, 60_000)

    function source(object: ObjectModel): FilterSource {
      return { object, records: data.get(object) ?? [], asciiPatterns: used.store.capabilities.likeFoldsUnicode }
    }

    /** Expects that search and count find what `matches` says. */
    async function expectMatches(object: ObjectModel, where: Filter): Promise<number> {
      const expected = source(object).records.filter((record) => matches(where, record, object))
      const select = object.select(['row_id', ...Object.keys(namesOf(where))])
      const found = await readAll(used.store.search(object, { select, where, order: object.order }))
      const shown = JSON.stringify(where).slice(0, 2_000)
      const picked = expected.map((record) => Object.fromEntries(select.fields.map(({ name }) => [name, record[name]])))
      expect(byId(found), shown).toStrictEqual(byId(picked as BusinessRecord[]))
      expect(await used.store.count(object, where), shown).toBe(expected.length)
      return expected.length
    }

    for (const object of model.objects.values()) {
      test(`the records of ${object.name} come back as they were written, joined fields included`, async () => {
        const found = await readAll(
          used.store.search(object, { select: everything(object), order: [{ field: 'row_id', descending: false }] }),
        )
        expect(byId(found)).toStrictEqual(byId(data.get(object) ?? []))
      })

      test(`every operator finds the right records on every field of ${object.name}`, async () => {
        const random = createRandom(settings.seed)
        const values = Math.ceil(settings.filters / 50)
        for (const field of object.readable.values()) {
          for (const op of operatorsOf(field)) {
            for (let time = 0; time < (op === 'null' || op === 'notNull' ? 1 : values); time++) {
              await expectMatches(object, generateLeaf(random, source(object), field, op))
            }
          }
        }
      })

      test(`generated conditions find the right records of ${object.name}`, async () => {
        const random = createRandom(settings.seed)
        let useful = 0
        for (let time = 0; time < settings.filters; time++) {
          const found = await expectMatches(object, generateFilter(random, source(object), 4))
          if (found > 0 && found < source(object).records.length) useful += 1
        }
        // Filters that find nothing or everything would show little.
        expect(useful).toBeGreaterThan(settings.filters / 4)
      })
    }

    test('like: wildcards, escapes and the case of A–Z', async () => {
      const patterns = [
        '%',
        '_',
        '__',
        'a%',
        '%b',
        '%a%',
        'A_B',
        'a\\_b',
        'a\\%b',
        'a\\\\b',
        'a\\\\\\%b',
        '\\%',
        '\\_',
        '\\\\',
        '%\\%%',
        '\\a',
        '%%',
        '%_%',
        'x_y',
        'x%y',
        'a ',
        ' %',
        '_\t',
        "it's",
        '[a]',
        '*',
        '😀',
        '_b',
        '😀_',
        'é',
        'e_',
        'long %END',
      ]
      for (const pattern of patterns.filter((each) => !source(item).asciiPatterns || /^\p{ASCII}*$/u.test(each))) {
        for (const op of ['like', 'notLike'] as const) {
          for (const field of ['itm_string', 'itm_text', 'itm_owner__per_region__reg_name'])
            await expectMatches(item, { op, field, pattern })
        }
      }
    })

    test('like: numbers, dates and row ids as they are written in records', async () => {
      const patterns: Record<string, string[]> = {
        itm_integer: ['1%', '-%', '%9', '1_', '999999999999999'],
        itm_big: ['90071992547409%', '%3', '-9%'],
        itm_date: ['2024-%', '%-02-__', '0001%'],
        itm_datetime: ['2024-02-29 %', '% 00:00:00', '%:59'],
        itm_time: ['0_:%', '%:59:59'],
        row_id: ['1%', '%0', '__'],
        itm_owner: ['_', '1%'],
      }
      for (const [field, list] of Object.entries(patterns)) {
        for (const pattern of list)
          expect(await expectMatches(item, { op: 'like', field, pattern }), `${field} ${pattern}`).toBeGreaterThan(0)
      }
    })

    test('contains: whole codes only, in their own case', async () => {
      for (const value of ['red', 're', 'ed', 'Red', 'RED', 'dark red', 'dark', 're_', 'r%', 're\\', 'rosé', '%']) {
        for (const op of ['contains', 'notContains'] as const)
          await expectMatches(item, { op, field: 'itm_list', value })
      }
    })

    test('empty values: matched by null and by negative operators only', async () => {
      const only = (term: Filter): Filter => ({
        op: 'and',
        terms: [{ op: '=', field: 'itm_code', value: blankCode }, term],
      })
      const random = createRandom(settings.seed)
      for (const field of item.readable.values()) {
        if (['row_id', 'itm_code'].includes(field.name) || field.type.name === 'boolean') continue
        for (const op of operatorsOf(field)) {
          const leaf = generateLeaf(random, source(item), field, op)
          const isNegative = ['null', '<>', 'notIn', 'notLike', 'notContains'].includes(op)
          expect(await used.store.count(item, only(leaf)), JSON.stringify(leaf)).toBe(isNegative ? 1 : 0)
        }
      }
    })

    test('a missing link makes a joined boolean false', async () => {
      for (const value of [true, false]) {
        for (const op of ['=', '<>', '<', '<=', '>', '>='] as const) {
          await expectMatches(item, { op, field: 'itm_owner__per_region__reg_seaside', value })
        }
        await expectMatches(item, { op: 'in', field: 'itm_owner__per_region__reg_seaside', values: [value] })
        await expectMatches(item, { op: 'notIn', field: 'itm_owner__per_region__reg_seaside', values: [value] })
      }
      for (const op of ['null', 'notNull'] as const)
        await expectMatches(item, { op, field: 'itm_owner__per_region__reg_seaside' })
    })

    test('in and notIn: thousands of values, one, and none', async () => {
      const codes = Array.from({ length: 5_000 }, (_, number) => `i${number * 2}`)
      const ids = Array.from({ length: 5_000 }, (_, number) => String(number * 2 + 1))
      for (const op of ['in', 'notIn'] as const) {
        const found = await expectMatches(item, { op, field: 'itm_code', values: codes })
        if (op === 'in') expect(found).toBe(50)
        await expectMatches(item, { op, field: 'row_id', values: ids })
        await expectMatches(item, { op, field: 'itm_owner', values: ids })
        await expectMatches(item, { op, field: 'itm_code', values: ['i1'] })
        await expectMatches(item, { op, field: 'itm_code', values: [] })
      }
    })

    test('and, or: deep, wide, and without terms', async () => {
      const leaf = (number: number): Filter => ({
        op: '=',
        field: number % 2 ? 'itm_integer' : 'itm_big',
        value: number,
      })
      let deep: Filter = leaf(0)
      for (let level = 1; level <= 50; level++) {
        deep = { op: level % 2 ? 'or' : 'and', terms: [{ op: '>=', field: 'itm_integer', value: level % 12 }, deep] }
      }
      await expectMatches(item, deep)
      for (const op of ['and', 'or'] as const) {
        await expectMatches(item, { op, terms: Array.from({ length: 1_000 }, (_, number) => leaf(number)) })
        await expectMatches(item, { op, terms: [leaf(0)] })
        await expectMatches(item, { op, terms: [] })
      }
    })

    test('values are values, whatever they look like', async () => {
      const before = await used.store.count(item)
      for (const value of [
        "' or '1'='1",
        "'; drop table item; --",
        '" or ""="',
        '`',
        '$1',
        '?',
        ':name',
        '\\',
        "\\'",
        '%',
        'null',
        '/*',
        '1) or (1=1',
      ]) {
        for (const op of ['=', '<>', '<', '>='] as const) await expectMatches(item, { op, field: 'itm_string', value })
        await expectMatches(item, { op: 'in', field: 'itm_string', values: [value, 'a'] })
        await expectMatches(item, { op: 'contains', field: 'itm_list', value })
      }
      expect(await used.store.count(item)).toBe(before)
    })
  })
}

function byId(records: readonly BusinessRecord[]): BusinessRecord[] {
  return records.toSorted((a, b) => (BigInt(a.row_id) < BigInt(b.row_id) ? -1 : 1))
}

function namesOf(filter: Filter): Record<string, true> {
  return 'field' in filter ? { [filter.field]: true } : Object.assign({}, ...filter.terms.map(namesOf))
}
