import type { Filter } from '@steward/rest-core'
import { createMemoryStore, createModel, defineObject } from '@steward/rest-core'
import { expect, test } from 'vitest'
import { createRoutedStore } from './routed-store.js'

const Param = defineObject({ name: 'Param', fields: { par_code: { type: 'string', key: true } } })
const Thing = defineObject({ name: 'Thing', fields: { thi_code: { type: 'string', key: true } } })
const model = createModel([Param, Thing])
const [param, thing] = [model.object('Param'), model.object('Thing')]

function routed() {
  const [data, system] = [createMemoryStore(), createMemoryStore()]
  return { data, system, store: createRoutedStore({ data, system, isSystem: ({ name }) => name === 'Param' }) }
}

test('each object is kept in its own store', async () => {
  const { data, system, store } = routed()
  await store.insert(param, { par_code: 'A' }, param.selection)
  const { row_id: id } = await store.insert(thing, { thi_code: 'B' }, thing.selection)
  expect([
    await data.count(param),
    await data.count(thing),
    await system.count(param),
    await system.count(thing),
  ]).toEqual([0, 1, 1, 0])
  const where: Filter = { op: '=', field: 'thi_code', value: 'B' }
  for await (const batch of store.search(thing, { select: thing.selection, where, order: thing.order }))
    expect(batch).toEqual([{ row_id: id, thi_code: 'B' }])
})

test('a transaction that fails undoes both stores', async () => {
  const { store } = routed()
  const failing = store.transaction(async (session) => {
    await session.insert(param, { par_code: 'A' }, param.selection)
    await session.insert(thing, { thi_code: 'B' }, thing.selection)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect([await store.count(param), await store.count(thing)]).toEqual([0, 0])
})

test('a transaction opens only the stores that it uses', async () => {
  const { data, system, store } = routed()
  const opened: string[] = []
  for (const [name, part] of Object.entries({ data, system })) {
    const { transaction } = part
    part.transaction = (work) => {
      opened.push(name)
      return transaction(work)
    }
  }
  await store.transaction((session) => session.insert(thing, { thi_code: 'B' }, thing.selection))
  expect(opened).toEqual(['data'])
})
