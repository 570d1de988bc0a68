import { expect, test } from 'vitest'
import type { Values } from '../store.js'
import { edgeValues } from './edge-values.js'
import { expectStoreError } from './failures.js'
import { item } from './model.js'
import { everything } from './reading.js'
import { nothing, type SchemaTools } from './schema-tools.js'
import type { UsedStore } from './store-under-test.js'

export function testSchemaColumns(used: UsedStore, { makeTable, expectSynced, expectDestructive }: SchemaTools): void {
  test('new fields of every type are added, and the rows that are there have them empty', async () => {
    const { name, define, thing, insert, rows } = makeTable()
    const before = define({ code: { type: 'string', key: true } })
    await used.store.sync(before)
    const old = await insert(before, { code: 'old' })
    const types = Object.fromEntries(
      item.fields
        .filter(({ key, type }) => !key && type.name !== 'reference')
        .map(({ name, definition }) => [name, definition]),
    )
    const after = define(
      {
        code: { type: 'string', key: true },
        ...types,
        own: { type: 'reference', object: name, display: ['code'] },
      },
      undefined,
      { timestamps: true },
    )
    await expectSynced(after)
    const empties = Object.fromEntries(everything(thing(after)).fields.map(({ name, type }) => [name, type.empty]))
    expect(await rows(after)).toStrictEqual([{ ...empties, ...old }])
    const values = Object.fromEntries(
      Object.entries(edgeValues).map(([name, list]) => [name, list[0] as Values[string]]),
    )
    expect(await insert(after, { code: 'new', own: old.row_id, ...values })).toMatchObject({
      ...values,
      own__code: 'old',
    })
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
    const after = define({
      new_name: { type: 'string', unique: true, renamedFrom: 'old_name' },
      other: { type: 'integer' },
    })
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

  test('a column becomes wider and keeps its values', async () => {
    const { define, thing, insert, rows } = makeTable()
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
    const wide = {
      name: '12345678901234567890',
      note: 'x'.repeat(1_000),
      rank: '123456789012345678',
      price: 1234567890.1234,
      exact: '1234567890123456789012345678.0123456789',
    }
    expect(await insert(after, wide)).toMatchObject(wide)
    expect(await used.store.count(thing(after), { op: '>', field: 'exact', value: 0.00001 })).toBe(1)
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
    const { name, table, define, insert, rows } = makeTable()
    const before = define({
      name: { type: 'string' },
      extra: { type: 'string', unique: true },
      link: { type: 'reference', object: name },
    })
    await used.store.sync(before)
    const record = await insert(before, { name: 'a', extra: 'kept' })
    const after = define({ name: { type: 'string' } })
    const leftover = [
      { table, column: 'extra' },
      { table, column: 'link' },
    ]
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
}
