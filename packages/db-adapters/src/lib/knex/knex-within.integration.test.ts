import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  defineObject,
  RestError,
  systemPrincipal,
  type BusinessObjects,
  type BusinessRecord,
} from '@steward/rest-core'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, needs } from '../../../../../tests/servers/index.js'
import { createStore, type SqlStore } from '../../index.js'

interface Hooked {
  /** What a hook of a read was given. */
  readonly read: Knex[]
}

const hooked: Hooked = { read: [] }

const Order = defineObject({
  name: 'LentOrder',
  table: 'lent_order',
  fields: { ord_code: { type: 'string', length: 20, key: true }, ord_note: { type: 'string', length: 20 } },
  hooks: {
    async postCreate({ knex, values }) {
      await knex('ledger').insert({ code: values['ord_code'] })
    },
    preCount({ knex }) {
      hooked.read.push(knex)
    },
  },
  actions: {
    rename: {
      scope: 'global',
      parameters: { to: { type: 'string' } },
      async run({ service, knex, principal, parameters }): Promise<unknown[]> {
        await service.create(principal, 'LentOrder', { ord_code: 'new', ord_note: 'a' })
        const seen = await codesOf(knex, 'lent_order', 'ord_code')
        await knex('lent_order').where({ ord_code: 'new' }).update({ ord_note: parameters.to })
        const [found] = await all(await service.search(principal, 'LentOrder'))
        if (parameters.to === 'fail') throw new RestError('ERR_VALIDATION', 'No.')
        return [...seen, found?.['ord_note']]
      },
    },
  },
})

async function codesOf(knex: Knex, table = 'ledger', column = 'code'): Promise<unknown[]> {
  return knex<Record<string, string>>(table).pluck(column)
}

async function all(batches: AsyncIterable<readonly BusinessRecord[]>): Promise<BusinessRecord[]> {
  const records: BusinessRecord[] = []
  for await (const batch of batches) records.push(...batch)
  return records
}

const model = createModel([Order])
const me = systemPrincipal()

function define(open: () => Promise<SqlStore>): void {
  let store: SqlStore
  let service: BusinessObjects
  beforeAll(async () => {
    store = await open()
    await store.sync(model)
    service = createBusinessObjects({ model, store })
    await store.knex.schema.createTable('ledger', (table) => table.string('code', 20))
  })
  afterAll(() => store.close())

  it('statements are kept, or undone, with what the service writes', async () => {
    await expect(service.action(me, Order, 'rename', { parameters: { to: 'fail' } })).rejects.toThrow('No.')
    expect(await codesOf(store.knex)).toEqual([])
    expect((await service.count(me, Order)).count).toBe(0)
    expect(await service.action(me, Order, 'rename', { parameters: { to: 'b' } })).toEqual({ result: ['new', 'b'] })
    expect(await codesOf(store.knex)).toEqual(['new'])
    const [order] = await all(await service.search(me, 'LentOrder'))
    expect(order).toMatchObject({ ord_code: 'new', ord_note: 'b' })
    await service.delete(me, Order, String(order?.row_id))
  })

  it('statements run between the batches of a search', async () => {
    const count = 2_500
    await service.transaction(async (inside) => {
      const rows = Array.from({ length: count }, (_, at) => ({ ord_code: `n${at}` }))
      await inside.knex.batchInsert('lent_order', rows, 500)
      let read = 0
      for await (const batch of await inside.search(me, Order, {})) {
        read += batch.length
        expect(await inside.knex('lent_order').count({ n: '*' })).toHaveLength(1)
      }
      expect(read).toBe(count)
    })
    await service.transaction((inside) => inside.knex('lent_order').delete())
  })

  it('a statement that fails undoes the transaction, although its error was caught', async () => {
    const work = service.transaction(async (inside) => {
      await inside.knex('ledger').insert({ code: 'caught' })
      await inside.knex.raw('select * from nothing').catch(() => {})
    })
    const message = expect.stringContaining('a statement in it failed') as string
    await expect(work).rejects.toMatchObject({ cause: { message } })
    expect(await codesOf(store.knex)).not.toContain('caught')
  })

  it('a transaction of knex within one is a savepoint', async () => {
    await service.transaction(async ({ knex }) => {
      await knex('ledger').insert({ code: 'outer' })
      const undone = knex.transaction(async (trx) => {
        await trx('ledger').insert({ code: 'undone' })
        await trx.raw('select * from nothing')
      })
      await expect(undone).rejects.toThrow()
      await knex.transaction((trx) => trx('ledger').insert({ code: 'inner' }))
    })
    const codes = await codesOf(store.knex)
    expect(codes.filter((code) => code !== 'new')).toEqual(['outer', 'inner'])
  })

  it('events of statements are those of the instance of the store', async () => {
    const heard: string[] = []
    const listen = ({ sql }: { sql: string }): void => void heard.push(sql)
    store.knex.on('query', listen)
    await service.transaction(({ knex }) => knex('ledger').where({ code: 'x' }).delete())
    store.knex.removeListener('query', listen)
    expect(heard).toEqual([expect.stringMatching(/^delete from .ledger. where .code. = /)])
  })

  it('after the end of its transaction, it is of no use', async () => {
    let kept: Knex | undefined
    await service.transaction(async ({ knex }) => void (kept = knex))
    await expect(kept!('ledger')).rejects.toThrow('has ended')
    await service.transaction(async ({ knex }) => {
      kept = knex
      await knex('ledger')
    })
    await expect(kept!('ledger')).rejects.toThrow('has ended')
  })

  it('outside of a transaction it is the instance of the store: each statement is kept at once', async () => {
    expect(await codesOf(service.knex)).toContain('outer')
    hooked.read.length = 0
    await service.count(me, Order)
    const [given] = hooked.read
    await given!('ledger').insert({ code: 'read' })
    expect(await codesOf(store.knex)).toContain('read')
    await service
      .transaction(async (inside) => {
        await inside.count(me, Order)
        await hooked.read.at(-1)!('ledger').insert({ code: 'within' })
        throw new Error('undone')
      })
      .catch(() => {})
    expect(await codesOf(store.knex)).not.toContain('within')
  })

  it('withTransaction() of the instance keeps both, or nothing', async () => {
    const done = service.withTransaction(store.knex, async (inside, trx) => {
      const { row_id: id } = await inside.create(me, Order, { ord_code: 'joined' })
      await trx('ledger').insert({ code: 'joined, too' })
      return id
    })
    expect(await done).toEqual(expect.any(String))
    expect(await codesOf(store.knex)).toEqual(expect.arrayContaining(['joined', 'joined, too']))
    const undone = service.withTransaction(store.knex, async (inside, trx) => {
      await inside.create(me, Order, { ord_code: 'undone' })
      await trx('ledger').insert({ code: 'undone, too' })
      throw new Error('No.')
    })
    await expect(undone).rejects.toThrow('No.')
    expect(await codesOf(store.knex)).not.toContain('undone, too')
    expect((await service.count(me, Order, { filters: { ord_code: 'undone' } })).count).toBe(0)
  })

  it('withTransaction() refuses work that ends the transaction itself', async () => {
    const ended = service.withTransaction(store.knex, async (_, trx) => void (await trx.rollback()))
    await expect(ended).rejects.toThrow('may not end the transaction')
  })
}

describe('knex on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-knex-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  define(() => createStore(`sqlite:${join(folder, 'a.db')}`))
})

for (const name of ['postgresql', 'mysql'] as const) {
  needs(name, (url) => {
    let database: Awaited<ReturnType<typeof freshDatabase>>
    beforeAll(async () => void (database = await freshDatabase(url)))
    afterAll(() => database.drop())
    define(() => createStore(database.url))
  })
}

it('knex of a service in memory says that there is none when it is used', async () => {
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  await service.transaction(async (inside) => {
    expect(() => inside.knex('ledger')).toThrow('The store "memory" does not stand on knex.')
  })
})
