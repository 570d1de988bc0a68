import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel, type Caller } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'
import { WriteLock } from './write-lock.js'

it('users who wait take turns, and what one user waits for keeps its order', async () => {
  const lock = new WriteLock()
  await lock.acquire(300_000, { user: 'ann' })
  const order: string[] = []
  const write = async (name: string, caller?: Caller): Promise<void> => {
    await lock.acquire(300_000, caller)
    order.push(name)
    lock.release()
  }
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => write(name, { user: 'ann' })),
    write('b1', { user: 'bob' }),
    write('none'),
    write('b2', { user: 'bob' }),
  ]
  lock.release()
  await Promise.all(all)
  expect(order).toStrictEqual(['a1', 'b1', 'none', 'a2', 'b2', 'a3'])
  expect(lock.isFree).toBe(true)
})

it('a caller who no longer waits leaves the others their turns', async () => {
  const lock = new WriteLock()
  await lock.acquire(Infinity)
  const gone = new AbortController()
  const left = lock.acquire(Infinity, { user: 'ann', signal: gone.signal })
  const stays = lock.acquire(Infinity, { user: 'ann' })
  gone.abort()
  await expect(left).rejects.toMatchObject({ code: 'timeout' })
  await expect(lock.acquire(Infinity, { signal: gone.signal })).rejects.toMatchObject({ code: 'timeout' })
  lock.release()
  await stays
  lock.release()
  expect(lock.isFree).toBe(true)
})

it('transactions, inserts, updates and deletes of a store take the turns of their users', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
  const store = createSqliteStore({ filename: join(folder, 'turns.db'), busyTimeoutMs: 300_000 })
  try {
    const model = createModel([{ name: 'Thing', timestamps: false, fields: { code: { type: 'string' } } }])
    const thing = model.object('Thing')
    const select = thing.selection
    await store.sync(model)
    const { row_id: id } = await store.insert(thing, { code: 'first' }, select)
    const opened = Promise.withResolvers<void>()
    const order: string[] = []
    const ann = { user: 'ann' }
    const note = (name: string, work: Promise<unknown>) => work.then(() => order.push(name))
    const entered = Promise.withResolvers<void>()
    const holds = store.transaction(async () => {
      entered.resolve()
      await opened.promise
    }, ann)
    await entered.promise
    const all = [
      note(
        'a transaction',
        store.transaction(async () => {}, ann),
      ),
      note('a insert', store.insert(thing, { code: 'a' }, select, ann)),
      note('a update', store.update(thing, id, { code: 'b' }, { select, caller: ann })),
      note('a delete', store.delete(thing, id, undefined, ann)),
      note('b insert', store.insert(thing, { code: 'b' }, select, { user: 'bob' })),
      note(
        'c transaction',
        store.transaction(async () => {}, { user: 'carol' }),
      ),
    ]
    opened.resolve()
    await Promise.all([holds, ...all])
    expect(order).toStrictEqual(['a transaction', 'b insert', 'c transaction', 'a insert', 'a update', 'a delete'])
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})
