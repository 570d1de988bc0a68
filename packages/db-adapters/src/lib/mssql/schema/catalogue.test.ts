import { expect, test } from 'vitest'
import { introspect } from '../../schema/introspect.js'
import { mssqlSchema } from './dialect.js'

const column = { table: 7, nullable: 0, bytes: 100 }

/** What the catalogue answers, by the view that a statement reads first. */
const catalogue: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  'sys.objects': [
    { id: 7, name: 'person', kind: 'U ' },
    { id: 8, name: 'adult', kind: 'V ' },
  ],
  'sys.columns': [
    { ...column, place: 1, name: 'id', type: 'int' },
    { ...column, place: 2, name: 'name', type: 'nvarchar' },
    { ...column, table: 8, place: 1, name: 'id', type: 'int' },
  ],
  'sys.indexes': [{ table: 7, name: 'p', unique: 1, primary: 1, column: 'id' }],
  'sys.extended_properties': [
    { table: 7, place: 0, comment: 'People' },
    { table: 7, place: 2, comment: 'First and last name, as in the passport.' },
    { table: 8, place: 0, comment: 'Grown-ups' },
  ],
}

test('introspect() makes labels and help of descriptions', async () => {
  const connection = {
    rows: async (sql: string) => catalogue[/\bfrom ([\w.]+)/.exec(sql)?.[1] ?? ''] ?? [],
    run: async () => {},
  }
  const { tables } = await mssqlSchema.read(connection)
  expect(tables.map(({ name, comment, columns }) => [name, comment, columns.map((each) => each.comment)])).toEqual([
    ['person', 'People', [undefined, 'First and last name, as in the passport.']],
    ['adult', 'Grown-ups', [undefined]],
  ])
  const { objects } = await introspect(connection, mssqlSchema)
  expect(objects.find(({ table }) => table === 'person')).toMatchObject({
    label: 'People',
    fields: { name: { help: 'First and last name, as in the passport.' } },
  })
})
