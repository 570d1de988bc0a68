import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel, type Filter, type ObjectStore } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { onEachServer } from '../../test/server-stores.js'
import { createSqliteStore } from '../sqlite.js'

const columns = [
  'a.b',
  'x as y',
  '*',
  'a[1]',
  'what?',
  '\\?',
  'x??y',
  ':name',
  '@p1',
  'a]b',
  "it's",
  '$1',
  '`b`',
  '"q"',
  'select',
]

function createTable(quote: string): string {
  const quoted = columns.map((name) => quote + name.replaceAll(quote, quote + quote) + quote)
  const id = `${quote}the.id${quote}`
  return `create table odd (${id} varchar(36) primary key, ${quoted.map((name) => `${name} varchar(50)`).join(', ')})`
}

/** A table with these columns is introspected, written, searched, counted and grouped. */
async function serves(store: ObjectStore): Promise<void> {
  const { objects, skipped } = (await store.introspect?.()) ?? { objects: [], skipped: [] }
  const definition = objects.find(({ table }) => table === 'odd')
  expect(skipped.filter(({ table }) => table === 'odd')).toEqual([])
  const odd = createModel(definition ? [definition] : []).object('Odd')
  const names = odd.fields.map(({ name }) => name)
  expect(odd.fields.map(({ column }) => column)).toEqual(columns)

  const values = Object.fromEntries(odd.fields.map(({ name, column }) => [name, column]))
  const { row_id: id } = await store.insert(odd, values, odd.selection)
  expect(await store.get(odd, id, { select: odd.selection })).toEqual({ row_id: id, ...values })
  const turned = Object.fromEntries(names.map((name) => [name, `${name}?`]))
  const where: Filter = { op: 'and', terms: names.map((field) => ({ op: '=', field, value: values[field] ?? '' })) }
  expect(await store.update(odd, id, turned, { select: odd.selection, where })).toEqual({ row_id: id, ...turned })
  const order = names.map((field) => ({ field, descending: true }))
  const found = []
  for await (const batch of store.search(odd, { select: odd.selection, order, limit: 5, offset: 0 }))
    found.push(...batch)
  expect(found).toEqual([{ row_id: id, ...turned }])
  expect(await store.count(odd, where)).toBe(0)
  const query = { groups: names.map((field) => ({ field })), values: [{ function: 'count' }] } as const
  expect(await store.aggregate?.(odd, query)).toEqual([{ groups: Object.values(turned), values: [1] }])
  expect(await store.delete(odd, id)).toBe(true)
}

test('sqlite: columns of any name are served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
  const filename = join(folder, 'odd.db')
  const database = new Database(filename)
  database.exec(createTable('"'))
  database.close()
  const store = createSqliteStore({ filename })
  try {
    await serves(store)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

onEachServer((database) => {
  test('columns of any name are served', async () => {
    await database.admin.rows(createTable(database.name === 'mysql' ? '`' : '"'))
    await serves(database.store())
  })
})
