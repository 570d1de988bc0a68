import { createModel, type BusinessRecord, type ObjectStore, type StoreSession } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { onEachServer, openCable, openStore } from '../../../test/server-stores.js'
import { createPostgresqlStore } from '../../postgresql.js'

const model = createModel([
  {
    name: 'Account',
    fields: {
      acc_name: { type: 'string', length: 40, key: true },
      acc_amount: { type: 'integer', precision: 18 },
      acc_parent: { type: 'reference', object: 'Account', display: ['acc_name'] },
    },
    timestamps: false,
  },
  { name: 'Counter', fields: { cnt_value: { type: 'integer' } }, timestamps: false },
])
const account = model.object('Account')
const { selection: select, order } = account
const counter = model.object('Counter')
/** The statements that are prepared on the connection which counts them. */
const prepared = createModel([
  {
    name: 'Prepared',
    table: 'pg_prepared_statements',
    fields: { row_id: { type: 'id', values: 'string', column: 'name' }, statement: { type: 'text' } },
    timestamps: false,
  },
]).object('Prepared')

let sequence = 0

function insert(store: StoreSession, values: Record<string, string | number> = {}): Promise<BusinessRecord> {
  sequence += 1
  return store.insert(account, { acc_name: `account ${sequence}`, ...values }, select)
}

async function refusal(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    () => 'resolved',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StoreError)
  return error as StoreError
}

async function collect(search: AsyncIterable<readonly BusinessRecord[]>): Promise<BusinessRecord[]> {
  const all: BusinessRecord[] = []
  for await (const batch of search) all.push(...batch)
  return all
}

/** Waits for a condition of the database that is not reported. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

onEachServer((database) => {
  let store: ObjectStore
  beforeAll(async () => {
    store = database.store()
    await store.sync(model)
  })

  describe('the pool', () => {
    it('is exhausted: a caller gets "overloaded" after the time-out, and works again once a connection is free', async () => {
      const small = database.store({ pool: { max: 2, acquireTimeoutMs: 3_600_000 } })
      const gate = Promise.withResolvers<void>()
      let held = 0
      const holders = [1, 2].map(() =>
        small.transaction(async (session) => {
          await insert(session)
          held += 1
          await gate.promise
        }),
      )
      await until(async () => held === 2)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const refusing = refusal(small.count(account))
      vi.advanceTimersByTime(3_600_000)
      vi.useRealTimers()
      const refused = await refusing
      expect(refused.code).toBe('overloaded')
      expect(refused.message).toContain('all 2 are in use')
      gate.resolve()
      await Promise.all(holders)
      expect(await small.count(account)).toBeGreaterThan(0)
    })

    it('opens no more connections than allowed, whatever is asked of it', async () => {
      const small = database.store({ pool: { max: 3 } })
      const before = (await database.admin.connections()).length
      await Promise.all(
        Array.from({ length: 40 }, () =>
          Promise.all([insert(small), small.count(account), small.get(account, '1', { select })]),
        ),
      )
      const opened = (await database.admin.connections()).length - before
      // PostgreSQL has two shared ones beside the pool.
      expect(opened).toBeLessThanOrEqual(database.name === 'postgresql' ? 5 : 3)
    })

    it('closes connections that are no longer needed', async () => {
      const before = (await database.admin.connections()).length
      const brief = database.store({ pool: { idleTimeoutMs: 50 } })
      await Promise.all(Array.from({ length: 8 }, () => brief.count(account)))
      await until(async () => (await database.admin.connections()).length <= before)
      expect(await brief.count(account)).toBeGreaterThan(0)
    })

    it('close() lets running work end, refuses new work, and may be called twice', async () => {
      const closing = database.store({ pool: { max: 2 } })
      const gate = Promise.withResolvers<void>()
      const running = closing.transaction(async (session) => {
        await gate.promise
        return insert(session)
      })
      await closing.count(account)
      const closed = Promise.all([closing.close(), closing.close()])
      expect((await refusal(closing.count(account))).code).toBe('unavailable')
      gate.resolve()
      const { row_id } = await running
      await closed
      expect(await store.get(account, row_id, { select })).toBeDefined()
      expect((await refusal(closing.get(account, row_id, { select }))).code).toBe('unavailable')
    })
  })

  describe('lost connections', () => {
    it('reads continue over another connection', async () => {
      const { row_id } = await insert(store)
      for (let round = 0; round < 5; round++) {
        await Promise.all([store.count(account), store.count(account), store.get(account, row_id, { select })])
        await database.admin.endConnections()
        const [count, record, found] = await Promise.all([
          store.count(account, { op: '=', field: 'row_id', value: row_id }),
          store.get(account, row_id, { select }),
          collect(store.search(account, { select, order, where: { op: '=', field: 'row_id', value: row_id } })),
        ])
        expect(count).toBe(1)
        expect(record?.row_id).toBe(row_id)
        expect(found).toHaveLength(1)
      }
    })

    it('a statement in a transaction fails with "unavailable", and nothing of the transaction is kept', async () => {
      let inside: BusinessRecord | undefined
      const refused = await refusal(
        store.transaction(async (session) => {
          inside = await insert(session)
          await database.admin.endConnections()
          await session.count(account)
        }),
      )
      expect(refused.code).toBe('unavailable')
      expect(await store.get(account, inside!.row_id, { select })).toBeUndefined()
    })

    it('a transaction whose connection is lost before its end fails with "unavailable", even when the loss was not met before', async () => {
      let inside: BusinessRecord | undefined
      const refused = await refusal(
        store.transaction(async (session) => {
          inside = await insert(session)
          await database.admin.endConnections()
        }),
      )
      expect(refused.code).toBe('unavailable')
      expect(await store.get(account, inside!.row_id, { select })).toBeUndefined()
    })

    it('a write that was under way fails with "unavailable", and says that its outcome is not known', async ({
      skip,
    }) => {
      if (database.name === 'mssql')
        skip('Its statements are those of PostgreSQL and MySQL; a fake of the protocol shows the same in wire.test.ts.')
      const select = counter.selection
      const { row_id } = await store.insert(counter, { cnt_value: 0 }, select)
      const gate = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      const holder = store.transaction(async (session) => {
        await session.update(counter, row_id, { cnt_value: 1 }, { select })
        held.resolve()
        await gate.promise
      })
      await held.promise
      const before = new Set(await database.admin.connections())
      const waiting = refusal(database.store().update(counter, row_id, { cnt_value: 2 }, { select }))
      const blocked =
        database.name === 'postgresql'
          ? `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
          : `from information_schema.processlist where db = database() and info like 'update%' and time_ms > 20`
      await until(async () => (await database.admin.rows(`select 1 as one ${blocked}`)).length > 0)
      for (const id of await database.admin.connections()) {
        if (!before.has(id))
          await database.admin.rows(
            database.name === 'postgresql' ? `select pg_terminate_backend(${id})` : `kill ${id}`,
          )
      }
      const refused = await waiting
      expect(refused.code).toBe('unavailable')
      expect(refused.message).toContain('not known')
      gate.resolve()
      await holder
      expect((await store.get(counter, row_id, { select }))?.['cnt_value']).toBe(1)
    })
  })

  describe('a network that swallows everything', () => {
    it('does not hold up reads and writes for ever', async () => {
      const { row_id } = await store.insert(counter, { cnt_value: 0 }, counter.selection)
      const cable = await openCable(database.url)
      const far = openStore(database.name, cable.url, {
        statementTimeoutMs: 1_000,
        pool: { max: 2, acquireTimeoutMs: 2_000 },
      })
      const get = () => far.get(counter, row_id, { select: counter.selection })
      const write = () => far.update(counter, row_id, { cnt_value: 1 }, { select: counter.selection })
      // Opening the connections may take longer than that on a busy machine.
      await expect.poll(() => Promise.all([get(), get(), write()]).catch((error: unknown) => error)).toHaveLength(3)
      cable.cut()
      for (const lost of await Promise.all([get, write, () => far.count(counter)].map((call) => refusal(call())))) {
        // Those before it hold all connections until they are given up.
        expect(['unavailable', 'overloaded']).toContain(lost.code)
      }
      cable.mend()
      // Connections whose greeting was swallowed hold their places until they are given up.
      await expect.poll(() => get().catch((error: unknown) => error)).toMatchObject({ row_id })
      await expect.poll(() => write().catch((error: unknown) => error)).toMatchObject({ cnt_value: 1 })
      await far.close()
      await cable.close()
    })

    it('does not keep a connection that is lost while its session is prepared', async () => {
      const { row_id } = await store.insert(counter, { cnt_value: 0 }, counter.selection)
      const setting = { postgresql: 'datestyle', mysql: 'time_zone', mssql: Buffer.from('xact_abort', 'utf16le') }
      const cable = await openCable(database.url, setting[database.name])
      const far = openStore(database.name, cable.url, { pool: { max: 1, acquireTimeoutMs: 1_000 } })
      const write = () => far.update(counter, row_id, { cnt_value: 1 }, { select: counter.selection })
      expect((await refusal(write())).code).toBe('unavailable')
      cable.mend()
      await expect.poll(() => write().catch((error: unknown) => error)).toMatchObject({ cnt_value: 1 })
      await far.close()
      await cable.close()
    })
  })

  // A view of T-SQL cannot wait; a fake of the protocol shows the same in wire.test.ts.
  describe.skipIf(database.name === 'mssql')('a read that is no longer waited for', () => {
    const endless = createModel([
      { name: 'Endless', timestamps: false, readOnly: true, fields: { content: { type: 'text' } } },
    ]).object('Endless')
    const where = { op: 'like', field: 'content', pattern: '%x%' } as const
    const running =
      database.name === 'postgresql'
        ? `select 1 as one from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
        : `select 1 as one from information_schema.processlist where info like '%endless%' and id <> connection_id()`

    beforeAll(async () => {
      const sleep = database.name === 'postgresql' ? 'cast(pg_sleep(600) as text)' : 'cast(sleep(600) as char)'
      await database.admin.rows(`create view endless as select row_id, ${sleep} as content from account`)
      await insert(store)
    })

    it.each([
      ['count()', (signal: AbortSignal) => store.count(endless, where, { caller: { signal } })],
      [
        'search() of a page',
        (signal: AbortSignal) =>
          collect(
            store.search(endless, {
              select: endless.selection,
              order: endless.order,
              where,
              limit: 5,
              caller: { signal },
            }),
          ),
      ],
      [
        'search() of all rows',
        (signal: AbortSignal) =>
          collect(
            store.search(endless, { select: endless.selection, order: endless.order, where, caller: { signal } }),
          ),
      ],
    ])('%s is ended in the database', async (_name, work) => {
      const abort = new AbortController()
      const outcome = work(abort.signal).then(
        () => 'answered',
        (error: unknown) => error,
      )
      await until(async () => (await database.admin.rows(running)).length > 0)
      abort.abort()
      expect(await outcome).toMatchObject({ name: 'StoreError' })
      await until(async () => (await database.admin.rows(running)).length === 0)
      expect(await store.count(account)).toBeGreaterThan(0)
    })

    it.runIf(database.name === 'postgresql')('does not keep reads of other records waiting', async () => {
      const own = createPostgresqlStore({ connection: database.url, sharedConnections: 1, pool: { max: 3 } })
      const { row_id: rowId } = await insert(own)
      const read = (user: string) => own.get(account, rowId, { select, caller: { user } })
      const abort = new AbortController()
      const caller = { user: 'ann', signal: abort.signal }
      const slow = refusal(own.get(endless, rowId, { select: endless.selection, caller }))
      await until(async () => (await database.admin.rows(running)).length === 1)
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(await Promise.all(Array.from({ length: 10 }, () => read('bob')))).toHaveLength(10)
      expect(await database.admin.rows(running)).toHaveLength(1)
      abort.abort()
      await slow
      await until(async () => (await database.admin.rows(running)).length === 0)
      expect(await read('bob')).toMatchObject({ row_id: rowId })
      await own.close()
    })
  })

  describe('transactions', () => {
    it('a failure that the work swallows still undoes it', async () => {
      const { acc_name } = await insert(store)
      let first: BusinessRecord | undefined
      const refused = await refusal(
        store.transaction(async (session) => {
          first = await insert(session)
          await insert(session, { acc_name: acc_name as string }).catch(() => {})
        }),
      )
      expect(refused.code).toBe('unique')
      expect(await store.get(account, first!.row_id, { select })).toBeUndefined()
    })

    it('the session cannot be used afterwards', async () => {
      let kept: StoreSession | undefined
      await store.transaction(async (session) => {
        kept = session
      })
      expect((await refusal(kept!.count(account))).code).toBe('internal')
      expect((await refusal(collect(kept!.search(account, { select, order })))).code).toBe('internal')
    })

    it('two that wait for each other: one gets "busy", the other is kept', async () => {
      const [a, b] = await Promise.all([insert(store), insert(store)])
      const both = Promise.withResolvers<void>()
      let arrived = 0
      const work = (first: string, second: string) =>
        store.transaction(async (session) => {
          await session.update(account, first, { acc_amount: 7 }, { select })
          arrived += 1
          if (arrived === 2) both.resolve()
          await both.promise
          await session.update(account, second, { acc_amount: 8 }, { select })
        })
      const outcomes = await Promise.allSettled([work(a.row_id, b.row_id), work(b.row_id, a.row_id)])
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(refused).toHaveLength(1)
      expect(refused[0]!.reason).toMatchObject({ code: 'busy', retry: true })
    })

    it('waiting for a row that is locked ends with "busy"', async () => {
      const { row_id } = await insert(store)
      const impatient = database.store({ lockTimeoutMs: 1_000 })
      await store.transaction(async (session) => {
        await session.get(account, row_id, { select, lock: true })
        expect((await refusal(impatient.update(account, row_id, { acc_amount: 1 }, { select }))).code).toBe('busy')
        // Reads do not wait.
        expect(await impatient.get(account, row_id, { select, lock: true })).toBeDefined()
      })
      expect((await impatient.update(account, row_id, { acc_amount: 2 }, { select }))?.acc_amount).toBe(2)
    })

    it('statements that take too long end with "timeout", or are given up with their connection', async ({ skip }) => {
      if (database.name === 'mssql')
        skip('Its statements are those of PostgreSQL and MySQL; a fake of the protocol shows the same in wire.test.ts.')
      const many = Array.from({ length: 300 }, (_, index) => `account ${index}`)
      const impatient = database.store({ statementTimeoutMs: 1 })
      const where = {
        op: 'and',
        terms: many.map((value) => ({ op: 'notLike', field: 'acc_name', pattern: `%${value}%x` }) as const),
      } as const
      await database.admin.rows('analyze table account'.slice(0, database.name === 'postgresql' ? 7 : undefined))
      await store.transaction(async (session) => {
        for (let index = 0; index < 500; index++) await insert(session)
      })
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => impatient.count(account, where)))
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(refused.length).toBeGreaterThan(0)
      for (const { reason } of refused) expect(['timeout', 'unavailable']).toContain((reason as StoreError).code)
    })
  })

  describe('streams', () => {
    const rows = 2_500
    let streams: ObjectStore

    beforeAll(async () => {
      streams = database.store({ pool: { max: 2, acquireTimeoutMs: 60_000 } })
      await store.transaction(async (session) => {
        for (let index = 0; index < rows; index++) await insert(session)
      })
    })

    it('that are stopped early, at every point, leave no connection behind', async () => {
      for (let round = 0; round < 12; round++) {
        const search = streams.search(account, { select, order })[Symbol.asyncIterator]()
        for (let batches = round % 4; batches > 0; batches--) await search.next()
        await search.return?.()
      }
      for (let round = 0; round < 6; round++) {
        const failing = async (): Promise<void> => {
          for await (const batch of streams.search(account, { select, order })) throw new Error(`after ${batch.length}`)
        }
        await expect(failing()).rejects.toThrow('after ')
      }
      const counts = await Promise.all([streams.count(account), streams.count(account)])
      expect(counts[0]).toBeGreaterThanOrEqual(rows)
      expect(await collect(streams.search(account, { select, order }))).toHaveLength(counts[0])
    })

    it('give every row once, in order, however slowly they are read', async () => {
      const ids: bigint[] = []
      for await (const batch of streams.search(account, { select, order })) {
        ids.push(...batch.map(({ row_id }) => BigInt(row_id)))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(ids).toHaveLength(await streams.count(account))
      expect(ids.every((id, at) => at === 0 || id > ids[at - 1]!)).toBe(true)
    })

    it('in a transaction let other statements of it run between two batches, and show what was there at their start', async () => {
      await streams
        .transaction(async (session) => {
          const expected = await session.count(account)
          let seen = 0
          for await (const batch of session.search(account, { select, order })) {
            seen += batch.length
            await session.update(account, batch[0]!.row_id, { acc_amount: seen }, { select })
            await insert(session)
          }
          expect(seen).toBe(expected)
          expect(await session.count(account)).toBeGreaterThan(expected)
          for await (const batch of session.search(account, { select, order })) if (batch.length > 0) break
          expect(await session.count(account)).toBeGreaterThan(expected)
          throw new Error('undo')
        })
        .catch((error: Error) => expect(error.message).toBe('undo'))
    })

    it('fail with "unavailable" when their connection is lost on the way', async () => {
      const reading = async (): Promise<void> => {
        for await (const batch of streams.search(account, { select, order }))
          if (batch.length > 0) await database.admin.endConnections()
      }
      expect((await refusal(reading())).code).toBe('unavailable')
      expect(await streams.count(account)).toBeGreaterThanOrEqual(rows)
    })
  })

  describe('statements', () => {
    it('prepared on a connection are bounded', async ({ skip }) => {
      if (database.name === 'mssql')
        skip('Its statements are those of PostgreSQL and MySQL; a fake of the protocol shows the same in wire.test.ts.')
      const few = database.store({ pool: { max: 1 }, maxPreparedStatements: 5 })
      for (let terms = 1; terms <= 25; terms++) {
        const where = {
          op: 'or',
          terms: Array.from({ length: terms }, () => ({ op: '=', field: 'acc_name', value: 'account 1' }) as const),
        } as const
        expect(await few.count(account, where)).toBe(await few.count(account, where))
      }
      if (database.name === 'mysql') {
        const [status] = await database.admin.rows(`show global status like 'Prepared_stmt_count'`)
        expect(Number(status?.['Value'])).toBeLessThan(400)
      } else {
        expect(await few.count(prepared)).toBe(5)
      }
    })

    if (database.name === 'postgresql') {
      it('are not kept where a pooler may give another session to the next transaction', async () => {
        const pooled = createPostgresqlStore({ connection: database.url, pool: { max: 1 }, preparedStatements: false })
        const made = await insert(pooled)
        await pooled.transaction(async (session) => {
          await session.update(account, made.row_id, { acc_amount: 1 }, { select })
          for await (const batch of session.search(account, { select, order })) if (batch.length > 0) break
        })
        expect(await pooled.get(account, made.row_id, { select })).toMatchObject({ acc_amount: 1 })
        expect(await pooled.count(prepared)).toBe(0)
        await pooled.close()
      })
    }

    it('continue when a column was changed since they were prepared', async () => {
      const { row_id } = await insert(store, { acc_amount: 5 })
      await Promise.all(Array.from({ length: 20 }, () => store.get(account, row_id, { select })))
      const type = {
        postgresql: 'alter column acc_amount type numeric(20)',
        mysql: 'modify acc_amount decimal(20)',
        mssql: 'alter column acc_amount decimal(20)',
      }[database.name]
      await database.admin.rows(`alter table account ${type}`)
      const found = await Promise.all(Array.from({ length: 20 }, () => store.get(account, row_id, { select })))
      expect(found.map((record) => record?.acc_amount)).toStrictEqual(Array(20).fill(5))
      expect((await store.update(account, row_id, { acc_amount: 6 }, { select }))?.acc_amount).toBe(6)
      const back = {
        postgresql: 'alter column acc_amount type bigint',
        mysql: 'modify acc_amount bigint',
        mssql: 'alter column acc_amount bigint',
      }[database.name]
      await database.admin.rows(`alter table account ${back}`)
      expect((await store.update(account, row_id, { acc_amount: 7 }, { select }))?.acc_amount).toBe(7)
    })
  })

  it('row ids and numbers beyond 2^53 survive everywhere', async () => {
    const id = '9007199254740993'
    const parent = await insert(store, { row_id: id, acc_amount: '999999999999999999' })
    expect(parent.row_id).toBe(id)
    expect(parent.acc_amount).toBe('999999999999999999')
    const child = await insert(store, { acc_parent: id, acc_amount: '-999999999999999999' })
    expect(child).toMatchObject({
      acc_parent: id,
      acc_parent__acc_name: parent.acc_name,
      acc_amount: '-999999999999999999',
    })
    expect(await store.get(account, '9007199254740992', { select })).toBeUndefined()
    expect(await store.count(account, { op: '=', field: 'acc_parent', value: '9007199254740992' })).toBe(0)
    expect(await store.count(account, { op: '=', field: 'acc_amount', value: '999999999999999998' })).toBe(0)
    expect(
      await store.count(account, { op: 'in', field: 'acc_amount', values: ['999999999999999999', '123456789'] }),
    ).toBe(1)
    expect((await store.update(account, id, { acc_amount: '999999999999999997' }, { select }))?.acc_amount).toBe(
      '999999999999999997',
    )
    expect(await store.delete(account, child.row_id)).toBe(true)
    expect(await store.delete(account, id)).toBe(true)
  })
})
