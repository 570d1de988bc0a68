import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  defineObject,
  systemPrincipal,
  type BusinessObjects,
  type BusinessRecord,
  type ObjectStore,
} from '@steward/rest-core'
import type Database from 'better-sqlite3'
import knex from 'knex'
import type mysql from 'mysql2'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, needs } from '../../../../tests/servers/index.js'
import { createStore } from '../index.js'

/** Runs a statement of the application, and gives the values of its first column. */
type Run = (service: BusinessObjects, sql: string) => Promise<unknown[]>

let run: Run

const Order = defineObject({
  name: 'LentOrder',
  table: 'lent_order',
  fields: { ord_code: { type: 'string', length: 20, key: true }, ord_note: { type: 'string', length: 20 } },
  hooks: {
    async postCreate({ service, values }) {
      await run(service, `insert into ledger (code) values ('${String(values['ord_code'])}')`)
    },
  },
  actions: {
    rename: {
      scope: 'global',
      parameters: { to: { type: 'string' } },
      async run({ service, principal, parameters }): Promise<unknown[]> {
        await service.create(principal, 'LentOrder', { ord_code: 'new', ord_note: 'a' })
        const seen = await run(service, `select ord_code from lent_order where ord_note = 'a'`)
        await run(service, `update lent_order set ord_note = '${parameters.to}' where ord_code = 'new'`)
        const [found] = await all(await service.search(principal, 'LentOrder'))
        if (parameters.to === 'fail') throw new Error('No.')
        return [...seen, found?.['ord_note']]
      },
    },
  },
})
async function all(batches: AsyncIterable<readonly BusinessRecord[]>): Promise<BusinessRecord[]> {
  const records: BusinessRecord[] = []
  for await (const batch of batches) records.push(...batch)
  return records
}

const model = createModel([Order])
const me = systemPrincipal()

function define(open: () => Promise<ObjectStore>, runs: Readonly<Record<string, Run>>, refusesCaught = true): void {
  let store: ObjectStore
  let service: BusinessObjects
  const codes = (sql = 'select code from ledger') => service.transaction((inside) => run(inside, sql))
  beforeAll(async () => {
    store = await open()
    await store.sync(model)
    service = createBusinessObjects({ model, store })
    run = Object.values(runs)[0] as Run
    await service.transaction((inside) => run(inside, 'create table ledger (code varchar(20))'))
  })
  afterAll(() => store.close())

  it.each(Object.entries(runs))('%s is kept, or undone, with what the service writes', async (_, own) => {
    run = own
    await codes('delete from ledger')
    await expect(service.action(me, Order, 'rename', { parameters: { to: 'fail' } })).rejects.toThrow('No.')
    expect(await codes()).toEqual([])
    expect((await service.count(me, Order)).count).toBe(0)
    expect(await service.action(me, Order, 'rename', { parameters: { to: 'b' } })).toEqual({ result: ['new', 'b'] })
    expect(await codes()).toEqual(['new'])
    const [order] = await all(await service.search(me, 'LentOrder'))
    expect(order).toMatchObject({ ord_code: 'new', ord_note: 'b' })
    await service.delete(me, Order, String(order?.row_id))
  })

  it('runs between the batches of a search', async () => {
    run = Object.values(runs)[0] as Run
    const count = 2_500
    await service.transaction(async (inside) => {
      await codesOf(inside, count)
      let read = 0
      for await (const batch of await inside.search(me, Order, {})) {
        read += batch.length
        expect(await run(inside, `select count(*) as n from lent_order`)).toMatchObject([expect.anything()])
      }
      expect(read).toBe(count)
    })
    await service.transaction((inside) => run(inside, 'delete from lent_order'))
  })

  async function codesOf(inside: BusinessObjects, count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, at) => `('n${at}')`)
    await run(inside, `insert into lent_order (ord_code) values ${rows.join(', ')}`)
  }

  it.runIf(refusesCaught)('that failed undoes the transaction, although the error was caught', async () => {
    run = Object.values(runs)[0] as Run
    const work = service.transaction(async (inside) => {
      await run(inside, `insert into ledger (code) values ('caught')`)
      await run(inside, 'select * from nothing').catch(() => {})
    })
    await expect(work).rejects.toThrow()
    expect(await codes(`select code from ledger where code = 'caught'`)).toEqual([])
  })

  it('is only there within a transaction', async () => {
    await expect(service.connection()).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
    let kept: BusinessObjects | undefined
    await service.transaction(async (inside) => void (kept = inside))
    await expect(kept?.connection()).rejects.toThrow()
  })
}

const firsts = (rows: readonly object[]) => rows.map((row) => Object.values(row)[0] as unknown)

describe('SQL of the application on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-lent-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  define(
    () => createStore(`sqlite:${join(folder, 'a.db')}`),
    {
      'better-sqlite3': async (service, sql) => {
        const database = await service.connection<Database.Database>()
        const statement = database.prepare(sql)
        if (statement.reader) return firsts(statement.all() as object[])
        statement.run()
        return []
      },
    },
    false,
  )
})

needs('postgresql', (url) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  const builder = knex({ client: 'pg' })
  beforeAll(async () => void (database = await freshDatabase(url)))
  afterAll(() => database.drop())
  const open = () => createStore(database.url)
  define(open, {
    pg: async (service, sql) => firsts((await (await service.connection<pg.ClientBase>()).query<object>(sql)).rows),
    knex: async (service, sql) => {
      const answer = (await builder.raw(sql).connection(await service.connection())) as { rows: object[] }
      return firsts(answer.rows)
    },
  })
})

needs('mysql', (url) => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  beforeAll(async () => void (database = await freshDatabase(url)))
  afterAll(() => database.drop())
  const open = () => createStore(database.url)
  const rowsOf = (answer: unknown) => (Array.isArray(answer) ? firsts(answer as object[]) : [])
  define(open, {
    'mysql2 with promises': async (service, sql) => {
      const [rows] = await (await service.connection<mysql.Connection>()).promise().query(sql)
      return rowsOf(rows)
    },
    mysql2: async (service, sql) => {
      const client = await service.connection<mysql.Connection>()
      return new Promise((resolve, reject) => {
        client.query(sql, (error, rows) => (error ? reject(error) : resolve(rowsOf(rows))))
      })
    },
  })
})

it('connection() of a service in memory says that there is none', async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  await expect(service.transaction((inside) => inside.connection())).rejects.toThrow(
    'The store "memory" has no connection for SQL.',
  )
})
