import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { createModel, type ObjectStore } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const model = createModel([
  { name: 'Thing', timestamps: false, fields: { code: { type: 'string', key: true }, rank: { type: 'integer' } } },
])
const thing = model.object('Thing')
const select = thing.selection
/** A view that takes a while to count. */
const slow = createModel([
  { name: 'Slow', timestamps: false, readOnly: true, fields: { value: { type: 'integer' } } },
]).object('Slow')

async function openStore(
  name: string,
  options: { busyTimeoutMs?: number } = {},
): Promise<{ store: ObjectStore; filename: string }> {
  const filename = join(folder, name)
  const store = createSqliteStore({ filename, ...options })
  await store.sync(model)
  return { store, filename }
}

describe('counts and long searches', () => {
  let store: ObjectStore
  let filename: string
  const rows = 20_000
  beforeAll(async () => {
    ;({ store, filename } = await openStore('readers.db'))
    const database = new Database(filename)
    database.exec(`
      insert into thing (code, rank) with recursive n(x) as (values (1) union all select x + 1 from n where x < ${rows}) select 'c' || x, x from n;
      create view slow as with recursive n(x) as (values (1) union all select x + 1 from n where x < 2000000) select x as row_id, x as value from n`)
    database.close()
  })
  afterAll(() => store.close())

  /** The threads that the work starts. */
  async function threadsOf(work: () => Promise<unknown>): Promise<Worker[]> {
    const threads: Worker[] = []
    const note = (worker: Worker): unknown => threads.push(worker)
    process.on('worker', note)
    await work()
    process.off('worker', note)
    return threads
  }

  /** What it cannot read ends a thread, before its next task. Terminating it could end this process. */
  const die = (thread: Worker | undefined): void => thread?.postMessage(null)

  test('a slow count does not hold up reads, writes and transactions', async () => {
    const done: string[] = []
    const counting = store.count(slow).then((count) => {
      done.push('count')
      return count
    })
    for (let number = 1; number <= 50; number++) {
      await store.get(thing, String(number), { select })
      await store.update(thing, String(number), { rank: number }, { select })
      await store.transaction((session) => session.update(thing, String(number), { rank: number }, { select }))
      for await (const batch of store.search(thing, { select, order: thing.order, limit: 20 }))
        expect(batch).toHaveLength(20)
    }
    done.push('others')
    expect(await counting).toBe(2_000_000)
    expect(done).toStrictEqual(['others', 'count'])
  })

  test('a thread that dies fails what it had to do, and the next one is another thread', async () => {
    const other = createSqliteStore({ filename, workers: 1 })
    await other.ping()
    const search = other.search(thing, { select, order: thing.order })[Symbol.asyncIterator]()
    const threads = await threadsOf(() => search.next())
    expect(threads).toHaveLength(1)
    die(threads[0])
    const rest = async (): Promise<void> => {
      while (!(await search.next()).done);
    }
    await expect(rest()).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' })
    const [second] = await threadsOf(() => other.count(thing))
    die(second)
    const counting = other.count(slow).catch((error: unknown) => error)
    const behind = other.count(thing)
    expect(await counting).toMatchObject({ name: 'StoreError', code: 'unavailable' })
    expect(await behind).toBe(rows)
    expect(await other.count(thing)).toBe(rows)
    await other.close()
  })

  test('a search sees the rows as they were when it started, a count those of now', async () => {
    const search = store.search(thing, { select, order: thing.order })
    let found = 0
    for await (const batch of search) {
      if (found === 0) await store.insert(thing, { code: 'new' }, select)
      expect(await store.count(thing)).toBe(rows + 1)
      found += batch.length
    }
    expect(found).toBe(rows)
    expect(await store.count(thing, { op: '=', field: 'code', value: 'new' })).toBe(1)
  })

  test('too many open searches are refused, and a search that was given up makes room', async () => {
    const searches = Array.from({ length: 64 }, () =>
      store.search(thing, { select, order: thing.order })[Symbol.asyncIterator](),
    )
    for (const search of searches) await search.next()
    const another = (): Promise<unknown> =>
      store.search(thing, { select, order: thing.order })[Symbol.asyncIterator]().next()
    await expect(another()).rejects.toMatchObject({ code: 'overloaded' })
    for (const search of searches) await search.return?.()
    const [last] = [store.search(thing, { select, order: thing.order })[Symbol.asyncIterator]()]
    expect(await last?.next()).toMatchObject({ done: false })
    await last?.return?.()
  })

  test('close() waits for counts and ends searches', async () => {
    const other = createSqliteStore({ filename })
    await other.ping()
    const search = other.search(thing, { select, order: thing.order })[Symbol.asyncIterator]()
    await search.next()
    const counting = other.count(slow)
    await other.close()
    expect(await counting).toBe(2_000_000)
    await expect(
      search
        .next()
        .then(() => search.next())
        .then(() => search.next()),
    ).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a store that is not closed does not keep the process alive', async () => {
    const script = `
      import { createModel } from '@steward/rest-core'
      import { createSqliteStore } from '@steward/db-adapters/sqlite'
      const thing = createModel([${JSON.stringify(thing.definition)}]).object('Thing')
      const store = createSqliteStore({ filename: process.argv[1] })
      console.log(await store.count(thing))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, filename], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    expect(await once(child, 'exit')).toStrictEqual([0, null])
  })
})

describe('writers', () => {
  /** Another process that holds the write lock until its input ends. */
  async function lockedElsewhere(filename: string): Promise<ChildProcess> {
    const script = `
      import Database from 'better-sqlite3'
      const database = new Database(process.argv[1])
      database.exec('begin immediate')
      console.log('locked')
      process.stdin.resume().on('end', () => database.exec('commit'))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, filename], {
      cwd: import.meta.dirname,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    return child
  }

  async function release(child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }

  test('a lock of another process makes writes fail with "busy" after the time-out, while reads and the event loop continue', async () => {
    const { store, filename } = await openStore('locked.db', { busyTimeoutMs: 200 })
    const { row_id } = await store.insert(thing, { code: 'a', rank: 1 }, select)
    const child = await lockedElsewhere(filename)
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const writes = [
      store.insert(thing, { code: 'b' }, select),
      store.update(thing, row_id, { rank: 2 }, { select }),
      store.delete(thing, row_id),
      store.transaction((session) => session.insert(thing, { code: 'c' }, select)),
    ]
    const outcomes = Promise.allSettled(writes)
    expect(await store.get(thing, row_id, { select })).toMatchObject({ rank: 1 })
    expect(await store.count(thing)).toBe(1)
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StoreError', code: 'busy', retry: true } })
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(3)
    await release(child)
    expect(await store.insert(thing, { code: 'b' }, select)).toMatchObject({ code: 'b' })
    expect(await store.count(thing)).toBe(2)
    await store.close()
  })

  test('a lock that goes away in time delays writes only, which then come in their order', async () => {
    const { store, filename } = await openStore('delayed.db', { busyTimeoutMs: 10_000 })
    const child = await lockedElsewhere(filename)
    const order: string[] = []
    const writes = ['a', 'b', 'c'].map((code) => store.insert(thing, { code }, select).then(() => order.push(code)))
    const whole = store.transaction(async (session) => {
      await session.insert(thing, { code: 'd' }, select)
      order.push('d')
    })
    await release(child)
    await Promise.all([...writes, whole])
    expect(order).toStrictEqual(['a', 'b', 'c', 'd'])
    await store.close()
  })

  test('a transaction that takes too long makes others fail with "busy"; it is not disturbed itself', async () => {
    const { store } = await openStore('long.db', { busyTimeoutMs: 50 })
    const result = await store.transaction(async (session) => {
      await session.insert(thing, { code: 'a' }, select)
      await expect(store.insert(thing, { code: 'b' }, select)).rejects.toMatchObject({ code: 'busy' })
      await expect(store.transaction(async () => 1)).rejects.toMatchObject({ code: 'busy' })
      return session.count(thing)
    })
    expect(result).toBe(1)
    expect(await store.count(thing)).toBe(1)
    await store.close()
  })

  test('what a transaction reads stays as it was while it writes, however many rows', async () => {
    const { store } = await openStore('spool.db')
    await store.transaction(async (session) => {
      for (let rank = 0; rank < 3_000; rank++) await session.insert(thing, { code: `c${rank}`, rank }, select)
      const ranks: unknown[] = []
      for await (const batch of session.search(thing, {
        select,
        order: [{ field: 'rank', descending: false }, ...thing.order],
      })) {
        for (const { row_id, rank } of batch) {
          ranks.push(rank)
          await session.update(thing, row_id, { rank: (rank as number) + 10_000 }, { select })
        }
      }
      expect(ranks).toStrictEqual(Array.from({ length: 3_000 }, (_, rank) => rank))
      expect(await session.count(thing, { op: '>=', field: 'rank', value: 10_000 })).toBe(3_000)
    })
    await store.close()
  })
})
