import { createModel } from '@steward/rest-core'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { postgresqlSchema } from '../postgresql/schema/dialect.js'
import { postgresqlBulk } from '../postgresql/store/bulk.js'
import { postgresqlDialect } from '../postgresql/store/dialect.js'
import { createCompiler } from '../sql/compiler.js'
import type { Rows } from './connection.js'
import { PooledStore } from './store.js'

const thing = createModel([{ name: 'Thing', timestamps: false, fields: { code: { type: 'string' } } }]).object('Thing')
const all = { select: thing.selection, order: thing.order }

/** The database takes this long for each batch. */
const batchMs = 40

/** A store on one connection that gives rows without an end. */
function createEndless(statementTimeoutMs: number) {
  const cancel = vi.fn<() => Promise<void>>(async () => {})
  const connection = {
    usable: true,
    begin: async () => {},
    rollback: async () => {},
    async *stream(): AsyncGenerator<Rows, void, undefined> {
      for (let number = 1; ; number++) {
        await new Promise((resolve) => setTimeout(resolve, batchMs))
        yield [[String(number), `c${number}`]]
      }
    },
    async close() {
      connection.usable = false
    },
  }
  const released = vi.fn<() => void>()
  const store = new PooledStore({
    knex: undefined as never,
    capabilities: {} as never,
    compiler: createCompiler(postgresqlDialect),
    schema: postgresqlSchema,
    schemaSetUp: '',
    statementTimeoutMs,
    bulk: postgresqlBulk,
    pool: {
      take: () => connection as never,
      release: released,
      discardIdle() {},
      close: async () => {},
    },
    join: () => Promise.reject(new Error('Nothing to join.')),
    cancel,
  })
  return { store, connection, cancel, released }
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

it('the time that the database takes for a stream counts in all, and that of its consumer does not', async () => {
  const { store, connection, cancel, released } = createEndless(100)
  const rows = store.search(thing, all)
  for (let batch = 1; batch <= 2; batch++) {
    const next = rows.next()
    await vi.advanceTimersByTimeAsync(batchMs)
    expect((await next).value).toEqual([{ row_id: String(batch), code: `c${batch}` }])
    vi.advanceTimersByTime(3_600_000)
  }
  const late = rows.next().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(batchMs)
  expect(await late).toMatchObject({ name: 'StoreError', code: 'timeout' })
  expect(cancel).toHaveBeenCalledWith(connection)
  expect(connection.usable).toBe(false)
  expect(released).toHaveBeenCalledExactlyOnceWith(connection)
})

it('without a limit of time a stream continues', async () => {
  const { store, connection } = createEndless(0)
  const rows = store.search(thing, all)
  for (let batch = 1; batch <= 100; batch++) {
    const next = rows.next()
    await vi.advanceTimersByTimeAsync(batchMs)
    expect((await next).done).toBe(false)
  }
  await rows.return()
  expect(connection.usable).toBe(true)
})
