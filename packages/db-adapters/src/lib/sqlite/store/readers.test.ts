import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { createModel, type Filter, type ObjectStore, type Query } from '@steward/rest-core'
import Database from 'better-sqlite3'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { createSqliteStore, type SqliteStoreOptions } from '../../../sqlite.js'
import { Readers } from './readers.js'

const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
const filename = join(folder, 'readers.db')
let store: ObjectStore | undefined

const model = createModel([
  {
    name: 'Thing',
    timestamps: false,
    fields: { code: { type: 'string', key: true }, content: { type: 'text' }, rank: { type: 'integer' } },
  },
])
const thing = model.object('Thing')
const [endless, long] = ['Endless', 'Long'].map((name) =>
  createModel([{ name, timestamps: false, readOnly: true, fields: { content: { type: 'text' } } }]).object(name),
) as [typeof thing, typeof thing]
/** Compares every row of a view. */
const like: Filter = { op: 'like', field: 'content', pattern: '%x%' }
const page: Query = { select: endless.selection, order: endless.order, where: like, limit: 10 }

beforeAll(async () => {
  const first = createSqliteStore({ filename })
  await first.sync(model)
  for (let number = 1; number <= 1_200; number++)
    await first.insert(thing, { code: `c${number}`, content: 'x' }, thing.selection)
  await first.close()
  const database = new Database(filename)
  database.exec(`
    create view endless as with recursive n(x) as (values (1) union all select x + 1 from n)
      select x as row_id, cast(x as text) as content from n;
    create view long as with recursive n(x) as (values (1) union all select x + 1 from n where x < 3000000)
      select x as row_id, cast(x as text) as content from n`)
  database.close()
  return () => rmSync(folder, { recursive: true, force: true })
})

afterEach(async () => {
  await store?.close()
  store = undefined
})

function open(options: Omit<SqliteStoreOptions, 'filename'> = {}): ObjectStore {
  return (store = createSqliteStore({ filename, workers: 2, statementTimeoutMs: 0, ...options }))
}

async function all(rows: AsyncIterable<readonly unknown[]>): Promise<number> {
  let count = 0
  for await (const batch of rows) count += batch.length
  return count
}

/** Threads that are started from now on. */
function countThreads(): readonly Worker[] {
  const threads: Worker[] = []
  process.on('worker', (worker) => threads.push(worker))
  return threads
}

test.each([
  [
    'count()',
    (opened: ObjectStore, signal: AbortSignal) => opened.count(endless, like, { caller: { user: 'ann', signal } }),
  ],
  [
    'search() of a page',
    (opened: ObjectStore, signal: AbortSignal) =>
      all(opened.search(endless, { ...page, caller: { user: 'ann', signal } })),
  ],
  [
    'search() of all rows',
    (opened: ObjectStore, signal: AbortSignal) =>
      all(opened.search(endless, { ...page, limit: undefined, caller: { user: 'ann', signal } })),
  ],
  [
    'aggregate()',
    (opened: ObjectStore, signal: AbortSignal) =>
      opened.aggregate(endless, {
        groups: [],
        values: [{ function: 'count' }],
        where: like,
        caller: { user: 'ann', signal },
      }),
  ],
])('%s that never ends is given up when no caller waits, and its thread reads for others', async (_name, work) => {
  const opened = open({ workers: 1 })
  await opened.ping()
  const threads = countThreads()
  for (let times = 0; times < 3; times++) {
    const abort = new AbortController()
    const outcome = work(opened, abort.signal).catch((error: unknown) => error)
    expect(await Promise.race([outcome, opened.get(thing, '1', { select: thing.selection })])).toMatchObject({
      code: 'c1',
    })
    abort.abort()
    expect(await outcome).toMatchObject({ name: 'StoreError', code: 'timeout' })
    expect(await opened.count(thing, undefined, { caller: { user: 'bob' } })).toBe(1_200)
  }
  expect(threads.length).toBeLessThanOrEqual(4)
})

test('a statement that takes longer than the limit is a "timeout", and the thread reads for others', async () => {
  const opened = open({ workers: 1, statementTimeoutMs: 100 })
  await expect(opened.count(endless, like)).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('longer than 100 ms') as unknown,
  })
  await expect(all(opened.search(endless, page))).rejects.toMatchObject({ code: 'timeout' })
})

test('close() terminates no thread, not even one that loads the driver for a checkpoint: that would end the process', async () => {
  const started = once(process, 'worker')
  const readers = new Readers({ filename, most: 1, timeoutMs: 0 })
  readers.checkpoint()
  const [thread] = (await started) as [Worker]
  const ended = once(thread, 'exit')
  await once(thread, 'online')
  await readers.close()
  expect(await ended).toEqual([0])
})

test('one user never has all threads', async () => {
  const opened = open()
  const abort = new AbortController()
  const { signal } = abort
  const outcomes = Promise.allSettled(
    Array.from({ length: 6 }, () => opened.count(endless, like, { caller: { user: 'ann', signal } })),
  )
  expect(await opened.count(thing, undefined, { caller: { user: 'bob' } })).toBe(1_200)
  expect(await all(opened.search(thing, { ...page, select: thing.selection, caller: { user: 'bob' } }))).toBe(10)
  abort.abort()
  expect((await outcomes).map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
})

test('a user has at most 100 statements that wait', async () => {
  const opened = open()
  const abort = new AbortController()
  const count = (user: string) => opened.count(endless, like, { caller: { user, signal: abort.signal } })
  const outcomes = Promise.allSettled(Array.from({ length: 101 }, () => count('ann')))
  await expect(count('ann')).rejects.toMatchObject({ code: 'overloaded', message: expect.stringContaining('wait') })
  expect(await opened.count(thing, undefined, { caller: { user: 'bob' } })).toBe(1_200)
  abort.abort()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'timeout' } })
})

test('where SQLite does not listen, others are answered by another thread meanwhile', async () => {
  const opened = open({ workers: 1 })
  await opened.count(thing)
  const done: string[] = []
  const abort = new AbortController()
  // Without a condition there is nothing by which it could be stopped.
  const given = opened
    .count(long, undefined, { caller: { user: 'ann', signal: abort.signal } })
    .catch(() => done.push('given up'))
  abort.abort()
  await given
  const behind = opened.count(long, undefined, { caller: { user: 'bob' } }).then(() => done.push('bob'))
  expect(await opened.count(thing, undefined, { caller: { user: 'eve' } })).toBe(1_200)
  await behind
  expect(done[0]).toBe('given up')
})

test('an open search continues while other statements on its thread are given up', async () => {
  const opened = open({ workers: 1 })
  const rows = opened.search(thing, { select: thing.selection, order: thing.order, caller: { user: 'bob' } })
  let found = 0
  for await (const batch of rows) {
    const abort = new AbortController()
    const outcome = opened
      .count(endless, like, { caller: { user: 'ann', signal: abort.signal } })
      .catch(() => 'given up')
    abort.abort()
    expect(await outcome).toBe('given up')
    found += batch.length
  }
  expect(found).toBe(1_200)
})

test('a user has at most 32 open searches, others have theirs', async () => {
  const opened = open()
  const start = (user: string) =>
    opened.search(thing, { select: thing.selection, order: thing.order, caller: { user } })[Symbol.asyncIterator]()
  const searches = Array.from({ length: 32 }, () => start('ann'))
  for (const search of searches) await search.next()
  await expect(start('ann').next()).rejects.toMatchObject({ code: 'overloaded' })
  const other = start('bob')
  expect(await other.next()).toMatchObject({ done: false })
  for (const search of [...searches, other]) await search.return?.()
  expect(
    await all(opened.search(thing, { select: thing.selection, order: thing.order, caller: { user: 'ann' } })),
  ).toBe(1_200)
})

test('a page that compares long texts, or reads a large table, is read by a thread', async () => {
  const opened = open()
  await opened.ping()
  const threads = countThreads()
  const pageOf = (where: Filter | undefined, more: Partial<Query> = {}) =>
    all(opened.search(thing, { select: thing.selection, order: thing.order, where, limit: 10, ...more }))
  await pageOf(undefined)
  await pageOf({ op: '=', field: 'row_id', value: '7' })
  await pageOf({ op: '=', field: 'rank', value: 7 })
  await pageOf({ op: 'like', field: 'code', pattern: '%1%' })
  expect(threads).toHaveLength(0)
  await pageOf({ op: 'or', terms: [like, { op: '=', field: 'rank', value: 7 }] })
  expect(threads).toHaveLength(1)
})
