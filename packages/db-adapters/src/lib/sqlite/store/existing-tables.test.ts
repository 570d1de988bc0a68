import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel, type Filter } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'

// Tables that others made hold what sync never writes: blank texts, ids of all sizes and kinds, values of other types than the column's.
const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
const filename = join(folder, 'existing.db')
const store = createSqliteStore({ filename })

const model = createModel([
  {
    name: 'Country',
    table: 'countries',
    timestamps: false,
    fields: { row_id: { type: 'id', values: 'string', column: 'code' }, name: { type: 'string', column: 'Full Name' } },
  },
  {
    name: 'City',
    table: 'cities',
    timestamps: false,
    fields: {
      row_id: { type: 'id', column: 'id' },
      name: { type: 'string' },
      people: { type: 'integer', precision: 18 },
      capital: { type: 'boolean' },
      facts: { type: 'object' },
      country: { type: 'reference', object: 'Country', column: 'country', display: ['name'] },
      twin: { type: 'reference', object: 'City', display: ['name'] },
    },
  },
])
const city = model.object('City')
const country = model.object('Country')

beforeAll(() => {
  const database = new Database(filename)
  database.exec(`
    create table countries (code text primary key, "Full Name" text) without rowid;
    create table cities (id integer primary key, name, people int, capital, facts json, country text references countries (code), twin references cities (id));
    insert into countries values ('FR', 'France'), ('x y', '');
    insert into cities (id, name, people, capital, facts, country, twin) values
      (1, 'Paris', 2102650, 1, '{"river":"Seine"}', 'FR', 9223372036854775807),
      (9223372036854775807, 'Far', 9007199254740993, 0, 'no json', 'x y', 1),
      (-3, '', null, null, '', null, null),
      (4, null, 0, 0, null, null, null),
      (5, 42, 1, 1, '[]', null, null)`)
  database.close()
})

test('a transaction that SQLite undoes by itself keeps nothing, even when the error is swallowed', async () => {
  const database = new Database(filename)
  database.exec('create table strict_code (row_id integer primary key, code text unique on conflict rollback)')
  database.close()
  const strict = createModel([{ name: 'StrictCode', timestamps: false, fields: { code: { type: 'string' } } }]).object(
    'StrictCode',
  )
  const attempt = store.transaction(async (session) => {
    await session.insert(strict, { code: 'a' }, strict.selection)
    await expect(session.insert(strict, { code: 'a' }, strict.selection)).rejects.toMatchObject({ code: 'unique' })
    await session.insert(strict, { code: 'b' }, strict.selection)
  })
  await expect(attempt).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' })
  const swallowed = store.transaction(async (session) => {
    await session.insert(strict, { code: 'a' }, strict.selection)
    await session.insert(strict, { code: 'a' }, strict.selection).catch(() => {})
  })
  await expect(swallowed).rejects.toBeInstanceOf(StoreError)
  expect(await store.count(strict)).toBe(0)
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function names(where?: Filter): Promise<string[]> {
  const found: string[] = []
  for await (const batch of store.search(city, { select: city.selection, where, order: city.order }))
    found.push(...batch.map(({ row_id }) => row_id))
  expect(await store.count(city, where)).toBe(found.length)
  return found
}

test('get answers values of any type in the form of the field', async () => {
  const select = city.selection
  expect(await store.get(city, '1', { select })).toStrictEqual({
    row_id: '1',
    name: 'Paris',
    people: 2102650,
    capital: true,
    facts: { river: 'Seine' },
    country: 'FR',
    country__name: 'France',
    twin: '9223372036854775807',
    twin__name: 'Far',
  })
  expect(await store.get(city, '9223372036854775807', { select })).toMatchObject({
    people: '9007199254740993',
    facts: 'no json',
    country: 'x y',
    country__name: '',
    twin__name: 'Paris',
  })
  expect(await store.get(city, '-3', { select })).toStrictEqual({
    row_id: '-3',
    name: '',
    people: null,
    capital: false,
    facts: null,
    country: '',
    country__name: '',
    twin: '',
    twin__name: '',
  })
  expect(await store.get(city, '5', { select })).toMatchObject({ name: '42', facts: [] })
})

test('blank texts are empty in every condition', async () => {
  expect(await names({ op: 'null', field: 'name' })).toStrictEqual(['-3', '4'])
  expect(await names({ op: 'notNull', field: 'name' })).toStrictEqual(['1', '5', '9223372036854775807'])
  expect(await names({ op: 'like', field: 'name', pattern: '%' })).toStrictEqual(['1', '5', '9223372036854775807'])
  expect(await names({ op: 'notLike', field: 'name', pattern: '%%' })).toStrictEqual(['-3', '4'])
  expect(await names({ op: 'notLike', field: 'name', pattern: '%a%' })).toStrictEqual(['-3', '4', '5'])
  expect(await names({ op: '<', field: 'name', value: 'G' })).toContain('9223372036854775807')
  expect(await names({ op: '<', field: 'name', value: 'G' })).not.toContain('-3')
  expect(await names({ op: 'null', field: 'country__name' })).toStrictEqual(['-3', '4', '5', '9223372036854775807'])
})

test('ids beyond 2^53 and text ids are found, linked and kept', async () => {
  expect(await names({ op: '=', field: 'twin', value: '9223372036854775807' })).toStrictEqual(['1'])
  expect(await names({ op: 'in', field: 'row_id', values: ['9223372036854775807', '-3'] })).toStrictEqual([
    '-3',
    '9223372036854775807',
  ])
  expect(await names({ op: '=', field: 'people', value: '9007199254740993' })).toStrictEqual(['9223372036854775807'])
  expect(await names({ op: '=', field: 'country', value: 'FR' })).toStrictEqual(['1'])
  expect(await store.get(country, 'x y', { select: country.selection })).toStrictEqual({ row_id: 'x y', name: '' })
  const twin = await store
    .insert(city, { name: 'Twin', twin: '9223372036854775807' }, city.selection)
    .catch((error: unknown) => error)
  // SQLite gives out no id above the largest one.
  expect(twin).toMatchObject({
    row_id: expect.stringMatching(/^\d+$/) as string,
    twin: '9223372036854775807',
    twin__name: 'Far',
  })
  expect(
    await store.update(city, (twin as { row_id: string }).row_id, { twin: '1' }, { select: city.select(['twin']) }),
  ).toMatchObject({ twin: '1' })
  expect(await store.delete(city, (twin as { row_id: string }).row_id)).toBe(true)
})

test('a row with a text id gets a new one', async () => {
  const record = await store.insert(country, { name: 'Nowhere' }, country.selection)
  expect(record.row_id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  expect(await store.get(country, record.row_id, { select: country.selection })).toStrictEqual(record)
  expect(await store.update(country, record.row_id, { name: '' }, { select: country.selection })).toStrictEqual({
    row_id: record.row_id,
    name: '',
  })
  expect(await store.delete(country, record.row_id)).toBe(true)
})

test('bytes in a column of texts are shown as SQL writes them, alone and in a list', async () => {
  const database = new Database(filename)
  database.exec(`insert into countries values ('by', x'00ff41')`)
  database.close()
  expect(await store.get(country, 'by', { select: country.selection })).toMatchObject({ name: `x'00FF41'` })
  const where: Filter = { op: '=', field: 'row_id', value: 'by' }
  const order = [{ field: 'row_id', descending: false }]
  for await (const batch of store.search(country, { select: country.selection, order, where }))
    expect(batch).toMatchObject([{ name: `x'00FF41'` }])
})
