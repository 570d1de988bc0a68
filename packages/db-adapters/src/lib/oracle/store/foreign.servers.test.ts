import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { needsH2 } from '../../../../../../tests/servers/index.js'
import { shutDown } from '../../../../test/h2-client.js'
import { h2Oracledb } from '../../../../test/h2-oracledb.js'
import { createStore } from '../../create-store.js'
import { openOracleStore } from './adapter.js'

const model = createModel([
  { name: 'Task', timestamps: false, fields: { tas_code: { type: 'string', length: 20, unique: true } } },
])
const task = model.object('Task')
const { selection: select } = task

needsH2((fresh) => {
  it("a store works on the application's pool, and joins a transaction on one of its connections", async () => {
    const url = fresh()
    const driver = h2Oracledb(url)
    let given = 0
    let returned = 0
    const pool = {
      connectionsOpen: 0,
      async getConnection() {
        given += 1
        const client = await driver.getConnection({})
        const { close } = client
        client.close = (options) => {
          returned += 1
          return close(options)
        }
        return client
      },
    }
    const store = openOracleStore({ connection: pool }, () => Promise.resolve(driver))
    await store.sync(model)
    const { row_id: id } = await store.insert(task, { tas_code: 'a' }, select)
    expect(await store.get(task, id, { select })).toEqual({ row_id: id, tas_code: 'a' })

    const client = await driver.getConnection({})
    const joined = store.within!(client as never)
    await joined.ping()
    await joined.insert(task, { tas_code: 'undone' }, select)
    expect(await joined.count(task)).toBe(2)
    expect(await store.count(task)).toBe(1)
    await client.rollback()
    expect(await store.count(task)).toBe(1)

    await joined.insert(task, { tas_code: 'b' }, select)
    await expect(joined.insert(task, { tas_code: 'a' }, select)).rejects.toMatchObject({ code: 'unique' })
    const undone = joined.transaction(async (session) => {
      await session.insert(task, { tas_code: 'c' }, select)
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    await Promise.all(['d', 'e'].map((code) => joined.insert(task, { tas_code: code }, select)))
    await client.commit()
    const found: unknown[] = []
    for await (const batch of store.search(task, { select, order: [{ field: 'tas_code', descending: false }] }))
      found.push(...batch.map((record) => record['tas_code']))
    expect(found).toEqual(['a', 'b', 'd', 'e'])
    await joined.close()
    await client.close()
    await store.close()
    expect(given).toBeGreaterThan(1)
    expect(returned).toBe(given)
    expect(() => store.within!({} as never)).toThrow(TypeError)
    await shutDown(url)
  })
})

it('createStore({ client }) knows a pool of oracledb', async () => {
  const pool = { connectionsOpen: 0, getConnection: () => Promise.reject(new Error('NJS-500: none')) }
  const store = await createStore({ client: pool })
  expect(store.capabilities.name).toBe('oracle')
  await store.close()
})
