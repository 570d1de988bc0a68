import { expect, test } from 'vitest'
import { introspect } from '../../schema/introspect.js'
import type { SchemaConnection, SchemaRow } from '../../schema/connection.js'
import { createOracleSchema } from './dialect.js'

type Dictionary = Readonly<Record<string, readonly SchemaRow[]>>

/** What the data dictionary answers, by the view that a statement reads first. */
function reading(dictionary: Dictionary): SchemaConnection {
  return {
    rows: async (sql) => dictionary[/ from (\w+)/.exec(sql)?.[1] ?? ''] ?? [],
    run: async () => {},
  }
}

const dialect = createOracleSchema(() => Promise.reject(new Error('Nothing is synced here.')))

function column(tab: string, name: string, type: string, more: SchemaRow = {}): SchemaRow {
  return { tab, name, type, digits: type === 'NUMBER' ? 10 : null, decimals: 0, characters: 50, nullable: 'N', ...more }
}

const people: Dictionary = {
  user_tables: [{ name: 'PERSON', kind: 'TABLE', remark: 'People' }],
  user_views: [{ name: 'ADULT', kind: 'VIEW', remark: 'Those who may sign. As of today.' }],
  user_tab_cols: [
    column('PERSON', 'ID', 'NUMBER'),
    column('PERSON', 'NAME', 'VARCHAR2', { remark: 'First and last name, as in the passport.' }),
    column('ADULT', 'ID', 'NUMBER'),
    column('ADULT', 'NAME', 'VARCHAR2'),
    column('ADULT', 'LOUD', 'VARCHAR2'),
  ],
  user_constraints: [{ tab: 'PERSON', name: 'P', index_name: 'P', col: 'ID' }],
}

const declared: Dictionary = {
  ...people,
  user_constraints: [...(people['user_constraints'] ?? []), { tab: 'ADULT', name: 'V', index_name: null, col: 'ID' }],
}

function writable(says: (name: string) => SchemaRow): readonly SchemaRow[] {
  return ['ID', 'NAME', 'LOUD'].map((name) => ({
    tab: 'ADULT',
    name,
    updatable: 'YES',
    insertable: 'YES',
    deletable: 'YES',
    ...says(name),
  }))
}

async function adult(dictionary: Dictionary) {
  const { objects } = await introspect(reading(dictionary), dialect)
  return objects.find(({ table }) => table === 'ADULT')
}

test('introspect() makes labels and help of comments', async () => {
  const { objects } = await introspect(reading(declared), dialect)
  expect(objects.find(({ table }) => table === 'PERSON')).toMatchObject({
    label: 'People',
    fields: { name: { help: 'First and last name, as in the passport.' } },
  })
  expect(objects.find(({ table }) => table === 'ADULT')?.help).toBe('Those who may sign. As of today.')
})

test('a view with a key that the database can write takes writes, but for computed columns', async () => {
  const computed = (name: string) => (name === 'LOUD' ? { updatable: 'NO', insertable: 'NO' } : {})
  const found = await adult({ ...declared, user_updatable_columns: writable(computed) })
  expect(found).not.toHaveProperty('readOnly')
  expect(found?.fields).toMatchObject({ row_id: { column: 'ID', readOnly: false }, loud: { readOnly: true } })
  expect(found?.fields['name']).not.toHaveProperty('readOnly')
})

test('any other view is read-only', async () => {
  const all = writable(() => ({}))
  for (const [what, dictionary] of Object.entries({
    'no key': { ...people, user_updatable_columns: all },
    'nothing can be written': { ...declared, user_updatable_columns: [] },
    'rows cannot be deleted': { ...declared, user_updatable_columns: writable(() => ({ deletable: 'NO' })) },
    'the key cannot be written': {
      ...declared,
      user_updatable_columns: writable((name) => (name === 'ID' ? { updatable: 'NO', insertable: 'NO' } : {})),
    },
  }))
    expect(await adult(dictionary), what).toMatchObject({ readOnly: true })
})
