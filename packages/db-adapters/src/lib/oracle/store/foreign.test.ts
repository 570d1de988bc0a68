import { createModel } from '@steward/rest-core'
import { expect, test } from 'vitest'
import { openOracleStore } from './adapter.js'
import type { Client, Driver, ExecuteOptions, Result } from './driver.js'

const model = createModel([{ name: 'Task', timestamps: false, fields: { title: { type: 'string', length: 20 } } }])
const task = model.object('Task')
const { selection: select } = task

const own = [
  ['NLS_SORT', 'GERMAN'],
  ['NLS_DATE_FORMAT', `DD."o'clock".RR`],
  ['TIME_ZONE', 'Asia/Tokyo'],
]

/** A connection of the application, with what it was asked. */
function fakeClient(answer: (sql: string) => Result | Error = () => ({ rows: [['1', 'a']] })) {
  const calls: string[] = []
  const commits: unknown[] = []
  const closed: unknown[] = []
  const client: Client = {
    callTimeout: 77,
    async execute(sql: string, _binds: readonly unknown[], { autoCommit }: ExecuteOptions) {
      calls.push(sql.trim())
      commits.push(autoCommit)
      if (sql.includes('nls_session_parameters')) return { metaData: [{ name: 'NAME' }, { name: 'VALUE' }], rows: own }
      if (/^(?:alter|savepoint|rollback)/.test(sql)) return {}
      const found = answer(sql)
      if (found instanceof Error) throw found
      return found
    },
    createLob: () => Promise.reject(new Error('No content is empty.')),
    commit: async () => void calls.push('commit'),
    rollback: async () => void calls.push('rollback'),
    break: async () => {},
    isHealthy: () => true,
    close: async (options) => void closed.push(options),
  }
  return { client, calls, commits, closed }
}

const driver: Driver = {
  OUT_FORMAT_ARRAY: 1,
  BIND_OUT: 2,
  STRING: 's',
  CLOB: 'c',
  DB_TYPE_NUMBER: 'n',
  DB_TYPE_CLOB: 'c',
  DB_TYPE_NCLOB: 'nc',
  DB_TYPE_BLOB: 'b',
  BUFFER: 'buffer',
  getConnection: () => Promise.reject(new Error('The store has no connections of its own.')),
}

function storeOn(client: Client) {
  const pool = { connectionsOpen: 1, getConnection: () => Promise.resolve(client) }
  return openOracleStore({ connection: pool, statementTimeoutMs: 1234 }, () => Promise.resolve(driver))
}

const restored = [
  `alter session set NLS_SORT = 'GERMAN' NLS_DATE_FORMAT = 'DD."o''clock".RR'`,
  `alter session set TIME_ZONE = 'Asia/Tokyo'`,
]

test('a connection of the pool goes back with its settings', async () => {
  const { client, calls, closed } = fakeClient()
  const store = storeOn(client)
  await store.get(task, '1', { select })
  await store.close()
  expect(calls.slice(1, 3)).toEqual([expect.stringContaining(`NLS_SORT = 'BINARY'`), expect.stringContaining('+00:00')])
  expect(calls.slice(-2)).toEqual(restored)
  expect(client.callTimeout).toBe(77)
  expect(closed).toEqual([undefined])
})

test('a connection that was lost is dropped', async () => {
  const lost = Object.assign(new Error('NJS-500: broken'), { code: 'NJS-500' })
  const { client, closed } = fakeClient((sql) => (sql.startsWith('insert') ? lost : {}))
  const store = storeOn(client)
  await expect(store.insert(task, { title: 'a' }, select)).rejects.toMatchObject({ code: 'unavailable' })
  await store.close()
  // First it was asked what the table promises.
  expect(closed).toEqual([undefined, { drop: true }])
})

test('a connection that changed tables is dropped, because its settings are others', async () => {
  const { client, closed } = fakeClient(() => ({ rows: [] }))
  const store = storeOn(client)
  await store.plan(model)
  await store.close()
  expect(closed).toEqual([{ drop: true }])
})

test('a call within a transaction commits nothing, and undoes no more than itself', async () => {
  const refused = Object.assign(new Error('ORA-00001: unique constraint violated'), { errorNum: 1, code: 'ORA-00001' })
  const { client, calls, commits, closed } = fakeClient((sql) =>
    sql.startsWith('insert') ? refused : { rows: [['3']] },
  )
  const joined = storeOn(client).within!(client as never)
  expect(await joined.count(task)).toBe(3)
  expect(calls[0]).toBe('savepoint steward')
  expect(calls.slice(-2)).toEqual(restored)
  await expect(joined.insert(task, { title: 'a' }, select)).rejects.toMatchObject({ code: 'unique' })
  expect(calls.slice(-3)).toEqual([...restored, 'rollback to savepoint steward'])
  expect(calls).not.toContain('commit')
  expect(commits).not.toContain(true)
  expect(closed).toEqual([])
  await expect(joined.sync(model)).rejects.toMatchObject({ code: 'internal' })
})
