import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel } from '@steward/rest-core'
import { expect, it } from 'vitest'
import { createSqliteStore } from '../../../sqlite.js'
import { createWriteLock } from './write-lock.js'

it('users who wait take turns, and what one user waits for keeps its order', async () => {
  const lock = createWriteLock(300_000)
  const release = await lock.take('ann')
  const order: string[] = []
  const write = async (name: string, user = ''): Promise<void> => {
    const releaseOwn = await lock.take(user)
    order.push(name)
    releaseOwn()
  }
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => write(name, 'ann')),
    write('b1', 'bob'),
    write('none'),
    write('b2', 'bob'),
  ]
  release()
  await Promise.all(all)
  expect(order).toStrictEqual(['a1', 'b1', 'none', 'a2', 'b2', 'a3'])
  expect(lock.used).toBe(0)
})

it('a caller who no longer waits leaves the others their turns', async () => {
  const lock = createWriteLock(1)
  const release = await lock.take('', { waitMs: Infinity })
  const gone = new AbortController()
  const left = lock.take('ann', { signal: gone.signal, waitMs: Infinity })
  const stays = lock.take('ann', { waitMs: Infinity })
  gone.abort()
  await expect(left).rejects.toMatchObject({ code: 'timeout' })
  expect(() => lock.take('', { signal: gone.signal })).toThrow(expect.objectContaining({ code: 'timeout' }))
  await expect(lock.take('bob')).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('within 1 ms'),
  })
  release()
  const releaseSecond = await stays
  releaseSecond()
  expect(lock.used).toBe(0)
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
