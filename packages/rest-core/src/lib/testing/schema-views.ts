import { expect, test } from 'vitest'
import type { ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { Model } from '../model/model.js'
import { expectStoreError } from './failures.js'
import { readAll } from './reading.js'
import type { SchemaTools } from './schema-tools.js'
import { unique, type UsedStore } from './store-under-test.js'

/** Views that `sync` makes of queries. */
export function testSchemaViews(used: UsedStore, { expectSynced }: SchemaTools): void {
  test('sync makes views of queries in the order in which they need each other, and their rows are found', async () => {
    const { base, sums, tops, rows, fill } = names()
    const model = createModel([tops, sums, base])
    const { steps } = await expectSynced(model)
    expect(steps.filter(({ kind }) => kind === 'createView').map(({ table }) => table)).toStrictEqual([
      sums.table,
      tops.table,
    ])
    await fill(model)
    expect(await rows(model, sums)).toStrictEqual([
      { row_id: '2', name: 'a', most: 5 },
      { row_id: '3', name: 'b', most: 4 },
    ])
    expect(await rows(model, tops)).toStrictEqual([{ row_id: '2', base: '2', base__name: 'a', most: 5 }])
    const object = model.object(sums.name)
    expect(await used.store.count(object, { op: '=', field: 'name', value: 'b' })).toBe(1)
    expect(await used.store.get(object, '3', { select: object.selection })).toMatchObject({ most: 4 })
    expect(await used.store.get(object, '1', { select: object.selection })).toBeUndefined()
  })

  test('sync makes a view again when its query changes, and when its table does', async () => {
    const { base, sums, tops, rows, fill } = names()
    await expectSynced(createModel([base, sums, tops]))
    await fill(createModel([base]))
    const other = { ...sums, view: mapValues(sums.view, (sql) => sql.replace('max(', 'min(')) }
    const changed = createModel([base, other, tops])
    expect((await expectSynced(changed)).steps.map(({ kind, table }) => `${kind} ${table}`)).toStrictEqual([
      `dropView ${tops.table}`,
      `dropView ${sums.table}`,
      `createView ${sums.table}`,
      `createView ${tops.table}`,
    ])
    expect((await rows(changed, other)).map(({ row_id }) => row_id)).toStrictEqual(['1', '3'])
    const wider = { ...base, fields: { ...base.fields, name: { type: 'string', length: 90 } } } as const
    const model = createModel([wider, other, tops])
    const { steps } = await expectSynced(model)
    const kinds = steps.map(({ kind }) => kind)
    // A column without a limit is as wide as it can be.
    if (kinds.length > 0)
      expect(kinds).toStrictEqual(['dropView', 'dropView', 'changeColumn', 'createView', 'createView'])
    expect(await rows(model, other)).toHaveLength(2)
    const { spare: _spare, ...kept } = wider.fields
    const narrow = createModel([{ ...wider, fields: kept }, other, tops])
    const { steps: dropped } = await used.store.sync(narrow, { destructive: true })
    expect(dropped.map(({ kind }) => kind)).toStrictEqual([
      'dropView',
      'dropView',
      'dropColumn',
      'createView',
      'createView',
    ])
    expect(await rows(narrow, other)).toHaveLength(2)
  })

  test('sync leaves a table in the place of a view alone, and asks for a query for its database', async () => {
    const { base, sums } = names()
    await expectSynced(createModel([base]))
    const taken = createModel([{ ...sums, table: base.table }])
    await expectStoreError('schema', used.store.sync(taken))
    const elsewhere = used.store.capabilities.name === 'oracle' ? 'sqlite' : 'oracle'
    const none = createModel([base, { ...sums, view: { [elsewhere]: sums.view[elsewhere] } }])
    await expectStoreError('schema', used.store.sync(none))
    expect(await used.store.count(createModel([base]).object(base.name))).toBe(0)
  })

  function names() {
    const name = unique('Viewed').replace('-', '')
    const table = name.toLowerCase()
    const sumsTable = `${table}_sum`
    const topsTable = `${table}_top`
    const base = {
      name,
      table,
      timestamps: false,
      fields: { name: { type: 'string', length: 40 }, number: { type: 'integer' }, spare: { type: 'integer' } },
    } satisfies ObjectDefinition
    const sums = {
      name: `${name}Sum`,
      table: sumsTable,
      view: inEach(
        (q) =>
          `select max(${q('row_id')}) as ${q('id')}, ${q('name')}, max(${q('number')}) as ${q('most')} from ${q(table)} group by ${q('name')}`,
      ),
      fields: {
        row_id: { type: 'id', column: 'id' },
        name: { type: 'string', length: 40 },
        most: { type: 'integer' },
      },
    } satisfies ObjectDefinition
    const tops = {
      name: `${name}Top`,
      table: topsTable,
      view: inEach(
        (q) =>
          `select ${q('id')} as ${q('row_id')}, ${q('id')} as ${q('base')}, ${q('most')} from ${q(sumsTable)} where ${q('most')} > 4`,
      ),
      fields: {
        base: { type: 'reference', object: name, display: ['name'] },
        most: { type: 'integer' },
      },
    } satisfies ObjectDefinition
    return {
      base,
      sums,
      tops,
      async fill(model: Model) {
        const object = model.object(name)
        for (const [text, number] of [
          ['a', 3],
          ['a', 5],
          ['b', 4],
        ] as const)
          await used.store.insert(object, { name: text, number }, object.selection)
      },
      rows(model: Model, { name: of }: ObjectDefinition) {
        const object = model.object(of)
        return readAll(used.store.search(object, { select: object.selection, order: object.order }))
      },
    }
  }
}

/** The same query for each database, with names as it quotes them. */
function inEach(query: (quote: (name: string) => string) => string) {
  const standard = query((name) => `"${name}"`)
  return {
    sqlite: standard,
    postgresql: standard,
    oracle: standard,
    mssql: standard,
    mysql: query((name) => `\`${name}\``),
  }
}

function mapValues<T extends Readonly<Record<string, string>>>(of: T, change: (text: string) => string): T {
  return Object.fromEntries(Object.entries(of).map(([name, text]) => [name, change(text)])) as T
}
