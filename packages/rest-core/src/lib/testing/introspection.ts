import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { FieldModel, Model, ObjectModel } from '../model/model.js'
import type { Introspection, Values } from '../store.js'
import { expectStoreError } from './failures.js'
import { everything } from './reading.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const definitions: ObjectDefinition[] = [
  {
    name: 'Genre',
    table: 'int_genre',
    timestamps: false,
    fields: { gen_code: { type: 'string', length: 20, key: true }, gen_label: { type: 'string', length: 200 } },
  },
  {
    name: 'Movie',
    table: 'int_movie',
    fields: {
      mov_title: { type: 'string', length: 100, key: true },
      mov_year: { type: 'integer', key: true },
      mov_ref: { type: 'string', length: 30, unique: true },
      mov_plot: { type: 'text' },
      mov_votes: { type: 'integer', precision: 18 },
      mov_price: { type: 'decimal', precision: 12, scale: 3 },
      mov_seen: { type: 'boolean' },
      mov_released: { type: 'date' },
      mov_shown: { type: 'datetime' },
      mov_starts: { type: 'time' },
      mov_genre: { type: 'reference', object: 'Genre' },
      mov_second_genre: { type: 'reference', object: 'Genre', onDelete: 'setNull' },
      mov_sequel_of: { type: 'reference', object: 'Movie', display: ['mov_title'], onDelete: 'cascade' },
    },
  },
]

const values: Values = {
  mov_title: 'Ünï 😀',
  mov_year: 1999,
  mov_ref: 'tt1',
  mov_plot: 'x\n'.repeat(1_000),
  mov_votes: '9007199254740993',
  mov_price: -12.345,
  mov_seen: true,
  mov_released: '2024-02-29',
  mov_shown: '2024-03-31 02:30:00',
  mov_starts: '23:59:59',
  created_dt: '2024-01-01 00:00:00',
  created_by: 'me',
}

export function testIntrospection(factory: StoreFactory): void {
  describe('introspection', () => {
    const made = createModel(definitions)
    const used = useStore(factory, made)
    let introspection: Introspection
    let found: Model

    beforeAll(async () => {
      if (!used.store.capabilities.introspection) return
      introspection = await used.store.introspect()
      found = createModel(introspection.objects)
    })

    function byTable(table: string): ObjectModel {
      const object = [...found.objects.values()].find((each) => each.table === table)
      if (!object) throw new Error(`There is no object with the table "${table}".`)
      return object
    }
    function byColumn(table: string, column: string): FieldModel {
      const field = byTable(table).fields.find((each) => each.column === column)
      if (!field) throw new Error(`The object of "${table}" has no field with the column "${column}".`)
      return field
    }

    test('is refused where it is not supported', async ({ skip }) => {
      if (used.store.capabilities.introspection) return skip(`${used.store.capabilities.name} has introspection`)
      await expectStoreError('internal', used.store.introspect())
    })

    describe('of tables made by sync', () => {
      beforeEach(({ skip }) => {
        if (!used.store.capabilities.introspection) skip(`${used.store.capabilities.name} has no introspection`)
      })

      test('every table comes back once, and none is skipped', () => {
        expect(introspection.objects.map(({ table }) => table).toSorted()).toStrictEqual(['int_genre', 'int_movie'])
        expect(introspection.skipped).toStrictEqual([])
      })

      test('types, lengths and sizes come back', () => {
        const expected = {
          mov_title: { type: 'string', length: 100 },
          mov_year: { type: 'integer' },
          mov_plot: { type: 'text' },
          mov_votes: { type: 'integer' },
          mov_price: { type: 'decimal', precision: 12, scale: 3 },
          mov_seen: { type: 'boolean' },
          mov_released: { type: 'date' },
          mov_shown: { type: 'datetime' },
          mov_starts: { type: 'time' },
          mov_genre: { type: 'reference' },
        }
        for (const [column, definition] of Object.entries(expected)) {
          expect(byColumn('int_movie', column).definition, column).toMatchObject(definition)
        }
        expect(byTable('int_movie').id.column).toBe('row_id')
        expect(byTable('int_movie').technical.map(({ column }) => column)).toStrictEqual([
          'created_dt',
          'created_by',
          'updated_dt',
          'updated_by',
        ])
        expect(byTable('int_genre').technical).toStrictEqual([])
      })

      test('keys and unique fields come back', () => {
        expect(byTable('int_genre').key.map(({ column }) => column)).toStrictEqual(['gen_code'])
        expect(
          byTable('int_movie')
            .key.map(({ column }) => column)
            .toSorted(),
        ).toStrictEqual(['mov_title', 'mov_year'])
        expect(byColumn('int_movie', 'mov_ref').unique).toBe(true)
      })

      test('references and what happens on deletion come back', () => {
        expect(references()).toStrictEqual({
          mov_genre: ['int_genre', 'refuse'],
          mov_second_genre: ['int_genre', 'setNull'],
          mov_sequel_of: ['int_movie', expect.any(String)],
        })
      })

      test('a reference to the own table that deletes along comes back', () => {
        expect(references()).toMatchObject({ mov_sequel_of: ['int_movie', 'cascade'] })
      })

      function references(): Record<string, readonly [string, string]> {
        const found = byTable('int_movie').references
        return Object.fromEntries(found.map(({ column, target, onDelete }) => [column, [target.table, onDelete]]))
      }

      test('the definitions read and write the same rows', async () => {
        const [genre, movie] = [made.object('Genre'), made.object('Movie')]
        const { row_id: mov_genre } = await used.store.insert(
          genre,
          { gen_code: 'SF', gen_label: 'Science fiction' },
          genre.selection,
        )
        const record = await used.store.insert(movie, { ...values, mov_genre }, everything(movie))

        const same = byTable('int_movie')
        const read = await used.store.get(same, record.row_id, { select: everything(same) })
        for (const field of [...movie.fields, ...movie.technical]) {
          const twin = [...same.fields, ...same.technical].find(({ column }) => column === field.column)
          expect(read?.[twin?.name as string], field.column).toStrictEqual(record[field.name])
        }
        const joined = same.joined.find(
          ({ path, field }) => path[0]?.column === 'mov_genre' && field.column === 'gen_code',
        )
        expect(read?.[joined?.name as string]).toBe('SF')

        const label = byColumn('int_genre', 'gen_label').name
        await used.store.update(
          byTable('int_genre'),
          mov_genre,
          { [label]: 'changed' },
          { select: byTable('int_genre').selection },
        )
        expect(await used.store.get(genre, mov_genre, { select: genre.selection })).toMatchObject({
          gen_label: 'changed',
        })
      })
    })
  })
}
