import { expect, test } from 'vitest'
import { createModel } from '../model/create-model.js'
import type { Values } from '../store.js'
import { expectStoreError } from './failures.js'
import { model } from './model.js'
import { readAll } from './reading.js'
import { nothing, type Fields, type SchemaTools } from './schema-tools.js'
import { unique, type UsedStore } from './store-under-test.js'

export function testSchemaTables(used: UsedStore, { makeTable, expectSynced }: SchemaTools): void {
  test('sync makes tables of every field type, and a second one has nothing to do', async () => {
    const plan = await expectSynced(model)
    const created = plan.steps.filter(({ kind }) => kind === 'createTable').map(({ table }) => table)
    expect(created.toSorted()).toStrictEqual([...model.objects.values()].map(({ table }) => table).toSorted())
    expect(await used.store.plan(model)).toStrictEqual(nothing)
    expect(await used.store.sync(model)).toStrictEqual(nothing)
    expect(await used.store.sync(model, { destructive: true })).toStrictEqual(nothing)
  })

  test('plan changes nothing, and a table that is not there is a StoreError "schema"', async () => {
    const { define, thing } = makeTable()
    const given = define({ name: { type: 'string' } })
    const object = thing(given)
    const { selection: select, order } = object
    expect((await used.store.plan(given)).steps).not.toHaveLength(0)
    await expectStoreError('schema', used.store.get(object, '1', { select }))
    await expectStoreError('schema', used.store.insert(object, { name: 'a' }, select))
    await expectStoreError('schema', used.store.update(object, '1', { name: 'a' }, { select }))
    await expectStoreError('schema', used.store.delete(object, '1'))
    await expectStoreError('schema', used.store.count(object))
    await expectStoreError('schema', readAll(used.store.search(object, { select, order })))
  })

  test('tables of other models are left alone', async () => {
    const [mine, other] = [makeTable(), makeTable()]
    const otherModel = other.define({ name: { type: 'string' } })
    await used.store.sync(otherModel)
    const record = await other.insert(otherModel, { name: 'a' })
    const given = mine.define({ name: { type: 'string' } })
    expect((await used.store.plan(given)).steps.map(({ table }) => table)).not.toContain(other.table)
    expect(await used.store.sync(given, { destructive: true })).toMatchObject({ leftover: [] })
    expect(await other.rows(otherModel)).toStrictEqual([record])
  })

  test('objects that refer to each other and to themselves are made, in any order', async () => {
    const { name, define, thing, child } = makeTable()
    const given = define(
      { child: { type: 'reference', object: `${name}Child` }, own: { type: 'reference', object: name } },
      { parent: { type: 'reference', object: name, onDelete: 'setNull' } },
    )
    await expectSynced(given)
    const [parents, children] = [thing(given), child(given)]
    const { row_id } = await used.store.insert(parents, {}, parents.selection)
    const linked = await used.store.insert(children, { parent: row_id }, children.selection)
    const values = { child: linked.row_id, own: row_id }
    expect(await used.store.update(parents, row_id, values, { select: parents.selection })).toMatchObject(values)
    await expectStoreError('reference', used.store.insert(parents, { child: '999999' }, parents.selection))
    await expectStoreError('reference', used.store.insert(children, { parent: '999999' }, children.selection))
  })

  test('names as long as definitions allow stay apart', async () => {
    const name = unique('T').replace('-', '').padEnd(63, 'x')
    const [a, b, linkA, linkB] = ['f', 'f', 'r', 'r'].map((letter, at) => letter.repeat(62) + 'ab'[at % 2])
    const given = createModel([
      {
        name,
        fields: {
          [a as string]: { type: 'string', unique: true },
          [b as string]: { type: 'string', unique: true },
          [linkA as string]: { type: 'reference', object: name },
          [linkB as string]: { type: 'reference', object: name },
        },
      },
    ])
    await expectSynced(given)
    const object = given.object(name)
    const insert = (values: Values) => used.store.insert(object, values, object.selection)
    await insert({ [a as string]: 'x', [b as string]: 'y' })
    await insert({ [a as string]: 'y', [b as string]: 'x' })
    await expectStoreError('unique', insert({ [a as string]: 'x' }))
    await expectStoreError('unique', insert({ [b as string]: 'x' }))
    await expectStoreError('reference', insert({ [linkA as string]: '999999' }))
    await expectStoreError('reference', insert({ [linkB as string]: '999999' }))
  })

  test('a table is renamed by its hint, with its rows and the references to it', async () => {
    const { name, table, define, thing, child } = makeTable()
    const before = define(
      { name: { type: 'string', key: true } },
      { thing: { type: 'reference', object: name, display: ['name'], onDelete: 'cascade' } },
    )
    await used.store.sync(before)
    const { row_id } = await used.store.insert(thing(before), { name: 'a' }, thing(before).selection)
    await used.store.insert(child(before), { thing: row_id }, child(before).selection)

    const after = define(
      { label: { type: 'string', key: true, renamedFrom: 'name' } },
      { thing: { type: 'reference', object: `${name}New`, display: ['label'], onDelete: 'cascade' } },
      { name: `${name}New`, renamedFrom: table },
    )
    const { steps } = await expectSynced(after)
    expect(steps.map(({ kind }) => kind)).toContain('renameTable')
    const [renamed, children] = [thing(after), child(after)]
    const record = await used.store.get(renamed, row_id, { select: renamed.selection })
    expect(record).toStrictEqual({ row_id, label: 'a' })
    expect(await used.store.count(children, { op: '=', field: 'thing__label', value: 'a' })).toBe(1)
    await expectStoreError('unique', used.store.insert(renamed, { label: 'a' }, renamed.selection))
    expect(await used.store.delete(renamed, row_id)).toBe(true)
    expect(await used.store.count(children)).toBe(0)
  })

  test('a table that changes keeps the rows that refer to it', async () => {
    const { name, define, thing, child } = makeTable()
    const link: Fields = { thing: { type: 'reference', object: name, onDelete: 'cascade' } }
    const before = define({ name: { type: 'string', length: 100 } }, link)
    await used.store.sync(before)
    const { row_id } = await used.store.insert(thing(before), { name: 'a' }, thing(before).selection)
    const children = child(before)
    await used.store.insert(children, { thing: row_id }, children.selection)
    // A database that cannot change a column copies the table; dropping the old one must not take the children with it.
    await used.store.sync(define({ name: { type: 'string', length: 10 } }, link), { destructive: true })
    expect(await used.store.count(children, { op: '=', field: 'thing', value: row_id })).toBe(1)
    await expectStoreError('reference', used.store.insert(children, { thing: '999999' }, children.selection))
  })

  test('two stores that sync at the same time both succeed', async ({ skip }) => {
    const other = await used.reopen()
    if (!other) return skip('the factory gives no "reopen"')
    const { name, define } = makeTable()
    const given = define(
      { name: { type: 'string', key: true }, own: { type: 'reference', object: name } },
      { thing: { type: 'reference', object: name } },
    )
    await Promise.all([used.store.sync(given), other.sync(given)])
    expect(await other.plan(given)).toStrictEqual(nothing)
  })

  test('rows and tables are there for a store that is opened later', async ({ skip }) => {
    const { define, thing, insert, rows } = makeTable()
    const given = define({ name: { type: 'string' } })
    await used.store.sync(given)
    await insert(given, { name: 'a' })
    const other = await used.reopen()
    if (!other) return skip('the factory gives no "reopen"')
    expect(await other.plan(given)).toStrictEqual(nothing)
    expect(await other.count(thing(given))).toBe((await rows(given)).length)
  })
}
