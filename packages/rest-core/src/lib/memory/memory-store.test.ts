import { expect, it } from 'vitest'
import { contractSize } from '../../../../../tests/contract-size.js'
import { testObjectStore } from '../../testing.js'
import { createModel } from '../model/create-model.js'
import { createMemoryStore } from './memory-store.js'

testObjectStore('memory', async () => createMemoryStore(), contractSize)

it('createMemoryStore() refuses to read an object with a view, and names a store that can', async () => {
  const store = createMemoryStore()
  const view = createModel([
    { name: 'Sums', view: 'select 1 as row_id, 2 as total', fields: { total: { type: 'integer' } } },
  ])
  const object = view.object('Sums')
  await store.sync(view)
  const refusal = { code: 'schema', message: expect.stringContaining('Use SQLite') }
  await expect(store.count(object)).rejects.toMatchObject(refusal)
  await expect(store.get(object, '1', { select: object.selection })).rejects.toMatchObject(refusal)
})
