import { expect, test } from 'vitest'
import type { Model } from '../model/model.js'
import { expectIsStoreError, expectStoreError } from './failures.js'
import type { SchemaTools } from './schema-tools.js'
import type { UsedStore } from './store-under-test.js'

export function testSchemaKeys(used: UsedStore, { makeTable, expectSynced }: SchemaTools): void {
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
    const { define, thing, insert, rows } = makeTable()
    const before = define({ a: { type: 'string' } })
    await used.store.sync(before)
    await insert(before, { a: 'x' })
    const twin = await insert(before, { a: 'x' })
    const after = define({ a: { type: 'string', unique: true } })
    const refusal: unknown = await used.store.sync(after).catch((error: unknown) => error)
    expectIsStoreError(['schema', 'unique'], refusal)
    expect(await rows(before)).toHaveLength(2)
    await used.store.delete(thing(before), twin.row_id)
    await expectSynced(after)
    await expectStoreError('unique', insert(after, { a: 'x' }))
  })

  test('a key field that is no longer in the model does not hinder writing', async () => {
    const { define, insert, rows } = makeTable()
    const before = define({
      a: { type: 'string', key: true },
      b: { type: 'string', key: true },
      c: { type: 'integer', required: true },
    })
    await used.store.sync(before)
    await insert(before, { a: 'x', b: 'y', c: 1 })
    const after = define({ a: { type: 'string', key: true } })
    await expectSynced(after)
    await insert(after, { a: 'z' })
    await expectStoreError('unique', insert(after, { a: 'x' }))
    expect(await rows(after)).toMatchObject([{ a: 'x' }, { a: 'z' }])
  })

  test('references are added, and follow a change of what happens on deletion', async () => {
    const { name, define, thing, child } = makeTable()
    const linkedBy = (onDelete: 'refuse' | 'cascade' | 'setNull'): Model =>
      define(
        { name: { type: 'string' } },
        { name: { type: 'string' }, thing: { type: 'reference', object: name, onDelete } },
      )
    const insertBoth = async (given: Model): Promise<[parent: string, child: string]> => {
      const parent = await used.store.insert(thing(given), {}, thing(given).selection)
      const row = await used.store.insert(child(given), { thing: parent.row_id }, child(given).selection)
      return [parent.row_id, row.row_id]
    }
    await used.store.sync(define({ name: { type: 'string' } }, { name: { type: 'string' } }))

    const refusing = linkedBy('refuse')
    await expectSynced(refusing)
    const [first, kept] = await insertBoth(refusing)
    const missing = used.store.insert(child(refusing), { thing: '999999' }, child(refusing).selection)
    await expectStoreError('reference', missing)
    await expectStoreError('reference', used.store.delete(thing(refusing), first))

    const emptying = linkedBy('setNull')
    await expectSynced(emptying)
    expect(await used.store.delete(thing(emptying), first)).toBe(true)
    const select = child(emptying).select(['thing'])
    expect(await used.store.get(child(emptying), kept, { select })).toStrictEqual({ row_id: kept, thing: '' })

    const cascading = linkedBy('cascade')
    await expectSynced(cascading)
    const [second, gone] = await insertBoth(cascading)
    expect(await used.store.delete(thing(cascading), second)).toBe(true)
    expect(await used.store.get(child(cascading), gone, { select: child(cascading).selection })).toBeUndefined()
  })
}
