import { expect, test } from 'vitest'
import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
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
    const { define } = makeTable()
    const given = define({ name: { type: 'string' } })
    const object = given.object('Thing')
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
    const { define, table } = makeTable()
    const other: ObjectDefinition = {
      name: 'Other',
      table: `${table}_other`,
      fields: { thing: { type: 'reference', object: 'Thing', onDelete: 'setNull' } },
    }
    const given = define(
      { other: { type: 'reference', object: 'Other' }, own: { type: 'reference', object: 'Thing' } },
      {},
      [other],
    )
    await expectSynced(given)
    const [thing, linked] = [given.object('Thing'), given.object('Other')]
    const first = await used.store.insert(thing, {}, thing.selection)
    const second = await used.store.insert(linked, { thing: first.row_id }, linked.selection)
    await used.store.update(
      thing,
      first.row_id,
      { other: second.row_id, own: first.row_id },
      { select: thing.selection },
    )
    await expectStoreError('reference', used.store.insert(thing, { other: '999999' }, thing.selection))
  })

  test('names as long as definitions allow stay apart', async () => {
    const table = unique('t').replace('-', '_').padEnd(63, 'x')
    const [a, b] = [`${'f'.repeat(62)}a`, `${'f'.repeat(62)}b`]
    const given = createModel([
      {
        name: 'Thing',
        table,
        fields: {
          [a]: { type: 'string', unique: true },
          [b]: { type: 'string', unique: true },
          [`r${a.slice(1)}`]: { type: 'reference', object: 'Thing' },
          [`r${b.slice(1)}`]: { type: 'reference', object: 'Thing' },
        },
      },
    ])
    await expectSynced(given)
    const thing = given.object('Thing')
    await used.store.insert(thing, { [a]: 'x', [b]: 'y' }, thing.selection)
    await used.store.insert(thing, { [a]: 'y', [b]: 'x' }, thing.selection)
    await expectStoreError('unique', used.store.insert(thing, { [b]: 'x' }, thing.selection))
    await expectStoreError('reference', used.store.insert(thing, { [`r${b.slice(1)}`]: '999' }, thing.selection))
  })

  test('a table is renamed by its hint, with its rows and the references to it', async () => {
    const { define, table } = makeTable()
    const child: ObjectDefinition = {
      name: 'Child',
      table: `${table}_child`,
      fields: { thing: { type: 'reference', object: 'Thing', display: ['name'], onDelete: 'cascade' } },
    }
    const before = define({ name: { type: 'string', key: true } }, {}, [child])
    await used.store.sync(before)
    const thing = await used.store.insert(before.object('Thing'), { name: 'a' }, before.object('Thing').selection)
    await used.store.insert(before.object('Child'), { thing: thing.row_id }, before.object('Child').selection)

    const after = define(
      { label: { type: 'string', key: true, renamedFrom: 'name' } },
      { table: `${table}_new`, renamedFrom: table },
      [{ ...child, fields: { thing: { ...child.fields.thing, display: ['label'] } as FieldDefinition } }],
    )
    const { steps } = await expectSynced(after)
    expect(steps.map(({ kind }) => kind)).toContain('renameTable')
    const [renamed, children] = [after.object('Thing'), after.object('Child')]
    expect(await used.store.get(renamed, thing.row_id, { select: renamed.selection })).toStrictEqual({
      row_id: thing.row_id,
      label: 'a',
    })
    expect(await used.store.count(children, { op: '=', field: 'thing__label', value: 'a' })).toBe(1)
    await expectStoreError('unique', used.store.insert(renamed, { label: 'a' }, renamed.selection))
    expect(await used.store.delete(renamed, thing.row_id)).toBe(true)
    expect(await used.store.count(children)).toBe(0)
  })

  test('a table that changes keeps the rows that refer to it', async () => {
    const { define, table } = makeTable()
    const child: ObjectDefinition = {
      name: 'Child',
      table: `${table}_child`,
      fields: { thing: { type: 'reference', object: 'Thing', onDelete: 'cascade' } },
    }
    const before = define({ name: { type: 'string', length: 100 } }, {}, [child])
    await used.store.sync(before)
    const [thing, children] = [before.object('Thing'), before.object('Child')]
    const { row_id } = await used.store.insert(thing, { name: 'a' }, thing.selection)
    await used.store.insert(children, { thing: row_id }, children.selection)
    // A database that cannot change a column copies the table; dropping the old one must not take the children with it.
    await used.store.sync(define({ name: { type: 'string', length: 10 } }, {}, [child]), { destructive: true })
    expect(await used.store.count(children, { op: '=', field: 'thing', value: row_id })).toBe(1)
    await expectStoreError('reference', used.store.insert(children, { thing: '999999' }, children.selection))
  })

  test('two stores that sync at the same time both succeed', async ({ skip }) => {
    const other = await used.reopen()
    if (!other) return skip('the factory gives no "reopen"')
    const { define, table } = makeTable()
    const fields: Fields = { name: { type: 'string', key: true }, own: { type: 'reference', object: 'Thing' } }
    const given = define(fields, {}, [
      { name: 'Other', table: `${table}_other`, fields: { thing: { type: 'reference', object: 'Thing' } } },
    ])
    await Promise.all([used.store.sync(given), other.sync(given)])
    expect(await other.plan(given)).toStrictEqual(nothing)
  })

  test('rows and tables are there for a store that is opened later', async ({ skip }) => {
    const { define, insert, rows } = makeTable()
    const given = define({ name: { type: 'string' } })
    await used.store.sync(given)
    await insert(given, { name: 'a' })
    const other = await used.reopen()
    if (!other) return skip('the factory gives no "reopen"')
    expect(await other.plan(given)).toStrictEqual(nothing)
    expect(await other.count(given.object('Thing'))).toBe((await rows(given)).length)
  })
}
