import { expect, test } from 'vitest'
import type { ObjectDefinition } from '../definition/definition.js'
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
    const { define, insert, rows } = makeTable()
    const before = define({ a: { type: 'string' } })
    await used.store.sync(before)
    await insert(before, { a: 'x' })
    const twin = await insert(before, { a: 'x' })
    const after = define({ a: { type: 'string', unique: true } })
    const refusal: unknown = await used.store.sync(after).catch((error: unknown) => error)
    expectIsStoreError(['schema', 'unique'], refusal)
    expect(await rows(before)).toHaveLength(2)
    await used.store.delete(before.object('Thing'), twin.row_id)
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
    const { define, table } = makeTable()
    const child = (onDelete?: 'refuse' | 'cascade' | 'setNull'): ObjectDefinition => ({
      name: 'Child',
      table: `${table}_child`,
      fields: {
        name: { type: 'string' },
        ...(onDelete && { thing: { type: 'reference', object: 'Thing', onDelete } }),
      },
    })
    const withChild = (onDelete?: 'refuse' | 'cascade' | 'setNull'): Model =>
      define({ name: { type: 'string' } }, {}, [child(onDelete)])
    await used.store.sync(withChild())
    const linked = async (given: Model): Promise<[parent: string, child: string]> => {
      const parent = await used.store.insert(given.object('Thing'), {}, given.object('Thing').selection)
      const row = await used.store.insert(
        given.object('Child'),
        { thing: parent.row_id },
        given.object('Child').selection,
      )
      return [parent.row_id, row.row_id]
    }

    const refusing = withChild('refuse')
    await expectSynced(refusing)
    const [parent] = await linked(refusing)
    await expectStoreError(
      'reference',
      used.store.insert(refusing.object('Child'), { thing: '999999' }, refusing.object('Child').selection),
    )
    await expectStoreError('reference', used.store.delete(refusing.object('Thing'), parent))

    const emptying = withChild('setNull')
    await expectSynced(emptying)
    expect(await used.store.delete(emptying.object('Thing'), parent)).toBe(true)

    const cascading = withChild('cascade')
    await expectSynced(cascading)
    const [second, row] = await linked(cascading)
    expect(await used.store.delete(cascading.object('Thing'), second)).toBe(true)
    expect(
      await used.store.get(cascading.object('Child'), row, { select: cascading.object('Child').selection }),
    ).toBeUndefined()
  })
}
