import { beforeEach, describe, expect, test } from 'vitest'
import { StoreError } from '../../errors.js'
import type { FieldDefinition, ObjectDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { BusinessRecord, Model } from '../model/model.js'
import type { SyncPlan, Values } from '../store.js'
import { edgeValues } from './edge-values.js'
import { expectStoreError } from './failures.js'
import { item, model } from './model.js'
import { everything, readAll } from './reading.js'
import { unique, useStore, type StoreFactory } from './store-under-test.js'

type Fields = Readonly<Record<string, FieldDefinition>>

const nothing: SyncPlan = { steps: [], leftover: [] }

export function testSchema(factory: StoreFactory): void {
  describe('schema', () => {
    const used = useStore(factory)

    test('without migrations the plan is always empty, and sync does nothing', async ({ skip }) => {
      if (used.store.capabilities.migrations) return skip(`${used.store.capabilities.name} has migrations`)
      expect(await used.store.plan(model)).toStrictEqual(nothing)
      expect(await used.store.sync(model, { destructive: true })).toStrictEqual(nothing)
    })

    describe('migrations', () => {
      beforeEach(({ skip }) => {
        if (!used.store.capabilities.migrations) skip(`${used.store.capabilities.name} has no migrations`)
      })

      /** A table of its own per test: `define` gives a model of it with these fields, `rows` what it holds. */
      function makeTable(): {
        readonly table: string
        define(fields: Fields, more?: Partial<ObjectDefinition>, others?: readonly ObjectDefinition[]): Model
        insert(model: Model, values: Values): Promise<BusinessRecord>
        rows(model: Model): Promise<BusinessRecord[]>
      } {
        const table = unique('table').replace('-', '_')
        return {
          table,
          define: (fields, more, others = []) => createModel([{ name: 'Thing', table, timestamps: false, fields, ...more }, ...others]),
          insert: (given, values) => used.store.insert(given.object('Thing'), values, everything(given.object('Thing'))),
          async rows(given) {
            const object = given.object('Thing')
            return readAll(used.store.search(object, { select: everything(object), order: object.order }))
          },
        }
      }

      /** Expects that sync does what was planned, losing nothing, and that nothing is left to do. */
      async function expectSynced(given: Model, kinds?: readonly string[]): Promise<SyncPlan> {
        const plan = await used.store.plan(given)
        if (kinds) expect([...new Set(plan.steps.map(({ kind }) => kind))]).toStrictEqual(kinds)
        for (const step of plan.steps) {
          expect(step.destructive, step.description).toBe(false)
          expect(step.description).not.toBe('')
        }
        expect(await used.store.sync(given)).toStrictEqual(plan)
        expect((await used.store.plan(given)).steps).toStrictEqual([])
        return plan
      }

      /** Expects that sync refuses, naming a step, and changes nothing; then that it is done when asked for. */
      async function expectDestructive(given: Model, unchanged: () => Promise<unknown>): Promise<void> {
        const [plan, before] = [await used.store.plan(given), await unchanged()]
        const destructive = plan.steps.filter((step) => step.destructive)
        expect(destructive.length).toBeGreaterThan(0)
        const error: unknown = await used.store.sync(given).catch((refusal: unknown) => refusal)
        expect(error).toBeInstanceOf(StoreError)
        expect((error as StoreError).code).toBe('schema')
        for (const step of destructive) expect((error as StoreError).message).toContain(step.description)
        expect(await used.store.plan(given)).toStrictEqual(plan)
        expect(await unchanged()).toStrictEqual(before)
        await used.store.sync(given, { destructive: true })
        expect(await used.store.plan(given)).toStrictEqual(nothing)
      }

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
        const given = define({ other: { type: 'reference', object: 'Other' }, own: { type: 'reference', object: 'Thing' } }, {}, [other])
        await expectSynced(given)
        const [thing, linked] = [given.object('Thing'), given.object('Other')]
        const first = await used.store.insert(thing, {}, thing.selection)
        const second = await used.store.insert(linked, { thing: first.row_id }, linked.selection)
        await used.store.update(thing, first.row_id, { other: second.row_id, own: first.row_id }, { select: thing.selection })
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

      test('new fields of every type are added, and the rows that are there have them empty', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ code: { type: 'string', key: true } })
        await used.store.sync(before)
        const old = await insert(before, { code: 'old' })
        const types = Object.fromEntries(item.fields.filter(({ key, type }) => !key && type.name !== 'reference').map(({ name, definition }) => [name, definition]))
        const after = define({ code: { type: 'string', key: true }, ...types, own: { type: 'reference', object: 'Thing', display: ['code'] } }, { timestamps: true })
        await expectSynced(after)
        const empties = Object.fromEntries(everything(after.object('Thing')).fields.map(({ name, type }) => [name, type.empty]))
        expect(await rows(after)).toStrictEqual([{ ...empties, ...old }])
        const values = Object.fromEntries(Object.entries(edgeValues).map(([name, list]) => [name, list[0] as Values[string]]))
        expect(await insert(after, { code: 'new', own: old.row_id, ...values })).toMatchObject({ ...values, own__code: 'old' })
      })

      test('a new field may be required although there are rows', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ name: { type: 'string' } })
        await used.store.sync(before)
        await insert(before, { name: 'old' })
        const after = define({ name: { type: 'string' }, rank: { type: 'integer', required: true } })
        await expectSynced(after, ['addColumn'])
        expect(await rows(after)).toMatchObject([{ name: 'old', rank: null }])
      })

      test('a field is renamed by its hint and keeps its values', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ old_name: { type: 'string', unique: true }, other: { type: 'integer' } })
        await used.store.sync(before)
        await insert(before, { old_name: 'a', other: 1 })
        const after = define({ new_name: { type: 'string', unique: true, renamedFrom: 'old_name' }, other: { type: 'integer' } })
        const { steps } = await expectSynced(after)
        expect(steps.map(({ kind }) => kind)).toContain('renameColumn')
        expect(await rows(after)).toMatchObject([{ new_name: 'a', other: 1 }])
        await expectStoreError('unique', insert(after, { new_name: 'a' }))
        expect(await used.store.plan(after)).toStrictEqual(nothing)
      })

      test('a field whose name in the code changes while its column stays needs no step', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ name: { type: 'string' } })
        await used.store.sync(before)
        await insert(before, { name: 'a' })
        const after = define({ title: { type: 'string', column: 'name' } })
        expect(await used.store.plan(after)).toStrictEqual(nothing)
        expect(await rows(after)).toMatchObject([{ title: 'a' }])
      })

      test('a table is renamed by its hint, with its rows and the references to it', async () => {
        const { define, table } = makeTable()
        const child: ObjectDefinition = { name: 'Child', table: `${table}_child`, fields: { thing: { type: 'reference', object: 'Thing', display: ['name'], onDelete: 'cascade' } } }
        const before = define({ name: { type: 'string', key: true } }, {}, [child])
        await used.store.sync(before)
        const thing = await used.store.insert(before.object('Thing'), { name: 'a' }, before.object('Thing').selection)
        await used.store.insert(before.object('Child'), { thing: thing.row_id }, before.object('Child').selection)

        const after = define({ label: { type: 'string', key: true, renamedFrom: 'name' } }, { table: `${table}_new`, renamedFrom: table }, [
          { ...child, fields: { thing: { ...child.fields.thing, display: ['label'] } as FieldDefinition } },
        ])
        const { steps } = await expectSynced(after)
        expect(steps.map(({ kind }) => kind)).toContain('renameTable')
        const [renamed, children] = [after.object('Thing'), after.object('Child')]
        expect(await used.store.get(renamed, thing.row_id, { select: renamed.selection })).toStrictEqual({ row_id: thing.row_id, label: 'a' })
        expect(await used.store.count(children, { op: '=', field: 'thing__label', value: 'a' })).toBe(1)
        await expectStoreError('unique', used.store.insert(renamed, { label: 'a' }, renamed.selection))
        expect(await used.store.delete(renamed, thing.row_id)).toBe(true)
        expect(await used.store.count(children)).toBe(0)
      })

      test('a column becomes wider and keeps its values', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({
          name: { type: 'string', length: 10 },
          note: { type: 'string', length: 20 },
          rank: { type: 'integer', precision: 5 },
          price: { type: 'decimal', precision: 10, scale: 2 },
          exact: { type: 'decimal', precision: 15, scale: 5 },
        })
        await used.store.sync(before)
        const old = { name: '1234567890', note: 'ü', rank: -12345, price: -12345678.25, exact: 0.00001 }
        await insert(before, old)
        await insert(before, {})
        const after = define({
          name: { type: 'string', length: 20 },
          note: { type: 'text' },
          rank: { type: 'integer', precision: 18 },
          price: { type: 'decimal', precision: 14, scale: 4 },
          exact: { type: 'decimal', precision: 38, scale: 10 },
        })
        const { steps } = await expectSynced(after)
        expect(steps.map(({ kind }) => kind)).toContain('changeColumn')
        const empty = { name: '', note: '', rank: null, price: null, exact: null }
        expect(await rows(after)).toMatchObject([old, empty])
        const wide = { name: '12345678901234567890', note: 'x'.repeat(1_000), rank: '123456789012345678', price: 1234567890.1234, exact: '1234567890123456789012345678.0123456789' }
        expect(await insert(after, wide)).toMatchObject(wide)
        expect(await used.store.count(after.object('Thing'), { op: '>', field: 'exact', value: 0.00001 })).toBe(1)
      })

      test('a column becomes narrower only when asked for', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ name: { type: 'string', length: 100 } })
        await used.store.sync(before)
        const record = await insert(before, { name: 'short' })
        const after = define({ name: { type: 'string', length: 10 }, added: { type: 'string' } })
        await expectDestructive(after, () => rows(before))
        expect(await rows(after)).toStrictEqual([{ ...record, added: '' }])
      })

      test('a column changes its type only when asked for', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ value: { type: 'string', length: 50 }, kept: { type: 'string' } })
        await used.store.sync(before)
        const { row_id } = await insert(before, { value: '12', kept: 'a' })
        const after = define({ value: { type: 'integer' }, kept: { type: 'string' } })
        await expectDestructive(after, () => rows(before))
        const [converted] = await rows(after)
        expect(converted).toMatchObject({ row_id, kept: 'a' })
        expect([12, null]).toContain(converted?.value)
        expect(await insert(after, { value: 13 })).toMatchObject({ value: 13 })
      })

      test('a column that no field uses is reported and kept, and dropped only when asked for', async () => {
        const { define, insert, rows, table } = makeTable()
        const before = define({ name: { type: 'string' }, extra: { type: 'string', unique: true }, link: { type: 'reference', object: 'Thing' } })
        await used.store.sync(before)
        const record = await insert(before, { name: 'a', extra: 'kept' })
        const after = define({ name: { type: 'string' } })
        const leftover = [{ table, column: 'extra' }, { table, column: 'link' }]
        const plan = await used.store.plan(after)
        expect(plan.leftover.toSorted((a, b) => (a.column < b.column ? -1 : 1))).toStrictEqual(leftover)
        expect(plan.steps.filter((step) => step.destructive)).toStrictEqual([])
        await used.store.sync(after)
        expect((await used.store.plan(after)).leftover).toHaveLength(2)
        expect(await rows(after)).toStrictEqual([{ row_id: record.row_id, name: 'a' }])
        await used.store.sync(before)
        expect(await rows(before)).toStrictEqual([record])

        await used.store.sync(after, { destructive: true })
        expect(await used.store.plan(after)).toStrictEqual(nothing)
        await used.store.sync(before)
        expect(await rows(before)).toStrictEqual([{ ...record, extra: '' }])
      })

      test('a key field that is no longer in the model does not hinder writing', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ a: { type: 'string', key: true }, b: { type: 'string', key: true }, c: { type: 'integer', required: true } })
        await used.store.sync(before)
        await insert(before, { a: 'x', b: 'y', c: 1 })
        const after = define({ a: { type: 'string', key: true } })
        await expectSynced(after)
        await insert(after, { a: 'z' })
        await expectStoreError('unique', insert(after, { a: 'x' }))
        expect(await rows(after)).toMatchObject([{ a: 'x' }, { a: 'z' }])
      })

      test('indexes, unique fields and functional keys follow the model', async () => {
        const { define, insert } = makeTable()
        const plain = define({ a: { type: 'string' }, b: { type: 'integer' } })
        await used.store.sync(plain)
        await insert(plain, { a: 'x', b: 1 })
        await expectSynced(define({ a: { type: 'string', index: true }, b: { type: 'integer' } }), ['addIndex'])

        const unique = define({ a: { type: 'string', unique: true }, b: { type: 'integer' } })
        await expectSynced(unique)
        await expectStoreError('unique', insert(unique, { a: 'x', b: 2 }))

        const keyed = define({ a: { type: 'string', key: true }, b: { type: 'integer', key: true } })
        await expectSynced(keyed)
        await insert(keyed, { a: 'x', b: 2 })
        await expectStoreError('unique', insert(keyed, { a: 'x', b: 2 }))

        await expectSynced(plain, ['dropIndex'])
        await insert(plain, { a: 'x', b: 2 })
        await insert(plain, {})
      })

      test('a unique field is refused while rows share a value, and works once they do not', async () => {
        const { define, insert, rows } = makeTable()
        const before = define({ a: { type: 'string' } })
        await used.store.sync(before)
        await insert(before, { a: 'x' })
        const twin = await insert(before, { a: 'x' })
        const after = define({ a: { type: 'string', unique: true } })
        await expectStoreError('unique', used.store.sync(after))
        expect(await rows(before)).toHaveLength(2)
        await used.store.delete(before.object('Thing'), twin.row_id)
        await expectSynced(after)
        await expectStoreError('unique', insert(after, { a: 'x' }))
      })

      test('references are added, and follow a change of what happens on deletion', async () => {
        const { define, table } = makeTable()
        const child = (onDelete?: 'refuse' | 'cascade' | 'setNull'): ObjectDefinition => ({
          name: 'Child',
          table: `${table}_child`,
          fields: { name: { type: 'string' }, ...(onDelete && { thing: { type: 'reference', object: 'Thing', onDelete } }) },
        })
        const withChild = (onDelete?: 'refuse' | 'cascade' | 'setNull'): Model => define({ name: { type: 'string' } }, {}, [child(onDelete)])
        await used.store.sync(withChild())
        const linked = async (given: Model): Promise<[parent: string, child: string]> => {
          const parent = await used.store.insert(given.object('Thing'), {}, given.object('Thing').selection)
          const row = await used.store.insert(given.object('Child'), { thing: parent.row_id }, given.object('Child').selection)
          return [parent.row_id, row.row_id]
        }

        const refusing = withChild('refuse')
        await expectSynced(refusing)
        const [parent] = await linked(refusing)
        await expectStoreError('reference', used.store.insert(refusing.object('Child'), { thing: '999999' }, refusing.object('Child').selection))
        await expectStoreError('reference', used.store.delete(refusing.object('Thing'), parent))

        const emptying = withChild('setNull')
        await expectSynced(emptying)
        expect(await used.store.delete(emptying.object('Thing'), parent)).toBe(true)

        const cascading = withChild('cascade')
        await expectSynced(cascading)
        const [second, row] = await linked(cascading)
        expect(await used.store.delete(cascading.object('Thing'), second)).toBe(true)
        expect(await used.store.get(cascading.object('Child'), row, { select: cascading.object('Child').selection })).toBeUndefined()
      })

      test('a table that changes keeps the rows that refer to it', async () => {
        const { define, table } = makeTable()
        const child: ObjectDefinition = { name: 'Child', table: `${table}_child`, fields: { thing: { type: 'reference', object: 'Thing', onDelete: 'cascade' } } }
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
        const given = define(fields, {}, [{ name: 'Other', table: `${table}_other`, fields: { thing: { type: 'reference', object: 'Thing' } } }])
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
    })
  })
}
