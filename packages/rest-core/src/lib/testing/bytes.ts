import { describe, expect, test } from 'vitest'
import { bytesValue, readColumn } from '../documents/column-content.js'
import type { FieldModel } from '../model/model.js'
import { createModel } from '../model/create-model.js'
import { useStore, type StoreFactory } from './store-under-test.js'

const model = createModel([
  {
    name: 'Picture',
    timestamps: false,
    fields: { pic_name: { type: 'string' }, pic_file: { type: 'document', storage: 'column' } },
  },
])
const picture = model.object('Picture')
const [, file] = picture.fields as [FieldModel, FieldModel]
const every = Buffer.from(Array.from({ length: 256 }, (_, at) => at))

/** Documents that are kept in a column. */
export function testBytes(factory: StoreFactory): void {
  describe('documents in columns', () => {
    const used = useStore(factory)

    test('come back byte by byte, and records show their length only', async () => {
      const { store } = used
      if (store.capabilities.columnDocuments !== true) {
        await expect(store.sync(model)).rejects.toMatchObject({ code: 'schema' })
        return
      }
      await store.sync(model)
      expect(await store.sync(model)).toMatchObject({ steps: [] })
      const large = Buffer.alloc(300_000, every)
      for (const bytes of [every, Buffer.of(), Buffer.of(0), large]) {
        const values = { pic_name: 'a', pic_file: bytesValue(bytes) }
        const record = await store.insert(picture, values, picture.selection)
        expect(record).toEqual({ row_id: record.row_id, pic_name: 'a', pic_file: `bytes-${bytes.length}` })
        const found = await readColumn(store, file, record.row_id)
        expect([found?.size, found?.bytes.equals(bytes)]).toEqual([bytes.length, true])
      }
    })

    test('are changed, left alone and emptied by updates, and found by whether they are there', async () => {
      const { store } = used
      if (store.capabilities.columnDocuments !== true) return
      const select = picture.selection
      const { row_id: id } = await store.insert(picture, { pic_name: 'b' }, select)
      const shown = async (values: Readonly<Record<string, string>>) =>
        (await store.update(picture, id, values, { select }))?.['pic_file']
      const count = (op: 'null' | 'notNull') =>
        store.count(picture, {
          op: 'and',
          terms: [
            { op: '=', field: 'row_id', value: id },
            { op, field: 'pic_file' },
          ],
        })
      expect([await shown({ pic_name: 'c' }), await count('null'), await count('notNull')]).toEqual(['', 1, 0])
      expect(await readColumn(store, file, id)).toBeUndefined()
      expect(await shown({ pic_file: bytesValue(every) })).toBe('bytes-256')
      expect([await shown({ pic_name: 'd' }), await count('null'), await count('notNull')]).toEqual(['bytes-256', 0, 1])
      expect((await readColumn(store, file, id))?.bytes).toEqual(every)
      await store.transaction(async (session) => {
        await session.update(picture, id, { pic_file: bytesValue(Buffer.of(7)) }, { select })
        expect((await readColumn(session, file, id))?.bytes).toEqual(Buffer.of(7))
      })
      expect([await shown({ pic_file: '' }), await count('null')]).toEqual(['', 1])
    })
  })
}
