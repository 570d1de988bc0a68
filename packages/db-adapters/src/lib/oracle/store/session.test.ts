import { createModel } from '@steward/rest-core'
import makeKnex from 'knex/lib/knex-builder/make-knex.js'
import { expect, test } from 'vitest'
import { openOracleStore } from './adapter.js'
import { Client } from '../builder.js'
import type { Client as OracleClient, Driver, ExecuteOptions, Result } from './driver.js'

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
  const client: OracleClient = {
    callTimeout: 77,
    async execute(sql: string, _binds: readonly unknown[], { autoCommit }: ExecuteOptions) {
      calls.push(sql.trim())
      commits.push(autoCommit)
      if (sql.includes('nls_session_parameters')) return { metaData: [{ name: 'NAME' }, { name: 'VALUE' }], rows: own }
      if (/^(?:alter|savepoint|rollback)/i.test(sql)) return {}
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

/** An instance of knex with this one connection. */
class OneConnection extends Client {
  override initializeDriver(): void {
    this.driver = driver
  }

  override acquireRawConnection(): Promise<object> {
    return Promise.resolve((this.config as { readonly given?: object }).given!)
  }

  override async destroyRawConnection(raw: OracleClient): Promise<void> {
    await raw.close()
  }
}

function storeOn(given: OracleClient) {
  const config = { client: 'oracledb', version: '19.0', connection: {}, pool: { min: 0, max: 1 }, given }
  const knex = makeKnex(new OneConnection(config))
  const store = openOracleStore({ knex, statementTimeoutMs: 1234 }, () => Promise.resolve(driver))
  const close = async () => {
    await store.close()
    await knex.destroy()
  }
  return { store, knex, close }
}

const restored = [
  `alter session set NLS_SORT = 'GERMAN' NLS_DATE_FORMAT = 'DD."o''clock".RR'`,
  `alter session set TIME_ZONE = 'Asia/Tokyo'`,
]

test('a connection of the instance goes back with its settings', async () => {
  const { client, calls, closed } = fakeClient()
  const { store, close } = storeOn(client)
  await store.get(task, '1', { select })
  await store.close()
  expect(calls.slice(1, 3)).toEqual([expect.stringContaining(`NLS_SORT = 'BINARY'`), expect.stringContaining('+00:00')])
  expect(calls.slice(-2)).toEqual(restored)
  expect(client.callTimeout).toBe(77)
  expect(closed).toEqual([])
  await close()
  expect(closed).toEqual([undefined])
})

test('a connection that was lost is dropped', async () => {
  const lost = Object.assign(new Error('NJS-500: broken'), { code: 'NJS-500' })
  const { client, calls } = fakeClient((sql) => (sql.startsWith('insert') ? lost : {}))
  const { store, close } = storeOn(client)
  await expect(store.insert(task, { title: 'a' }, select)).rejects.toMatchObject({ code: 'unavailable' })
  expect((client as { __knex__disposed?: unknown }).__knex__disposed).toBeDefined()
  expect(calls.at(-1)).toMatch(/^insert/)
  await close()
})

test('a connection that changed tables is dropped, because its settings are others', async () => {
  const { client, closed } = fakeClient(() => ({ rows: [] }))
  const { store, close } = storeOn(client)
  await store.plan(model)
  expect(closed).toEqual([{ drop: true }])
  expect((client as { __knex__disposed?: unknown }).__knex__disposed).toBeDefined()
  await close()
})

test('a call within a transaction commits nothing, and undoes no more than itself', async () => {
  const refused = Object.assign(new Error('ORA-00001: unique constraint violated'), { errorNum: 1, code: 'ORA-00001' })
  const { client, calls, commits } = fakeClient((sql) => (sql.startsWith('insert') ? refused : { rows: [['3']] }))
  Object.assign(client, {
    executeAsync: async (sql: string) => client.execute(sql, [], {} as ExecuteOptions),
    commitAsync: () => client.commit(),
    rollbackAsync: () => client.rollback(),
  })
  const { store, knex, close } = storeOn(client)
  const trx = await knex.transaction()
  const joined = store.within!(trx)
  expect(await joined.count(task)).toBe(3)
  expect(calls[3]).toBe('savepoint steward')
  expect(calls.slice(-2)).toEqual(restored)
  await expect(joined.insert(task, { title: 'a' }, select)).rejects.toMatchObject({ code: 'unique' })
  expect(calls.slice(-3)).toEqual(['rollback to savepoint steward', ...restored])
  expect(calls).not.toContain('commit')
  expect(commits).not.toContain(true)
  await expect(joined.sync(model)).rejects.toMatchObject({ code: 'internal' })
  await trx.commit()
  await close()
})
