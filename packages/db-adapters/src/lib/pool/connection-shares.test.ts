import type { Caller } from '@steward/rest-core'
import { describe, expect, it } from 'vitest'
import { createPool as createKnexPool, Resource } from '../../../test/knex-pool.js'
import { connectionParts } from './connection-shares.js'

const ann: Caller = { user: 'ann' }
const bob: Caller = { user: 'bob' }

type Pool = ReturnType<typeof createKnexPool>['pool']
type Connection = Awaited<ReturnType<Pool['take']>>

function createPool(max: number, acquireTimeoutMs = 300_000): Pool {
  return createKnexPool({ max, acquireTimeoutMs }).pool
}

/** Takes connections until one has to wait, and gives those that were had. */
async function takeAll(pool: Pool, caller?: Caller, isStream = false): Promise<Connection[]> {
  const had: Connection[] = []
  const enough = new AbortController()
  const all = Array.from({ length: 30 }, async () => {
    had.push(await pool.take(caller && { ...caller, signal: enough.signal }, isStream))
  })
  // The pool looks at connections before it gives them, which takes some turns.
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  enough.abort()
  if (caller) await Promise.allSettled(all)
  return had
}

describe('connectionParts()', () => {
  it.each([
    [1, { users: 1, perUser: 1, streams: 1, streamsPerUser: 1 }],
    [2, { users: 2, perUser: 2, streams: 1, streamsPerUser: 1 }],
    [3, { users: 2, perUser: 2, streams: 1, streamsPerUser: 1 }],
    [4, { users: 3, perUser: 2, streams: 2, streamsPerUser: 1 }],
    [10, { users: 9, perUser: 8, streams: 5, streamsPerUser: 4 }],
    [20, { users: 19, perUser: 18, streams: 10, streamsPerUser: 9 }],
  ])('of %i', (max, parts) => {
    expect(connectionParts(max)).toStrictEqual(parts)
  })

  it('leaves connections besides streams, to each user and to all, whatever the size', () => {
    for (let max = 2; max <= 100; max++) {
      const { users, perUser, streams, streamsPerUser } = connectionParts(max)
      expect(perUser).toBeLessThanOrEqual(users)
      expect(streamsPerUser).toBeLessThan(perUser)
      expect(streams).toBeLessThan(users)
    }
  })
})

describe('a pool shared by users', () => {
  it('gives one user all but two, another one the next, and the last one to no user only', async () => {
    const pool = createPool(10)
    expect(await takeAll(pool, ann)).toHaveLength(8)
    expect(await takeAll(pool, bob)).toHaveLength(1)
    expect(await takeAll(pool)).toHaveLength(1)
  })

  it('gives streams half, one user less, and other statements of that user the rest', async () => {
    const pool = createPool(10)
    expect(await takeAll(pool, ann, true)).toHaveLength(4)
    expect(await takeAll(pool, bob, true)).toHaveLength(1)
    expect(await takeAll(pool, ann)).toHaveLength(4)
  })

  it.each([2, 3, 4, 10])('of %i connections let the caller who takes rows read for each of them', async (max) => {
    const pool = createPool(max)
    const streams = await takeAll(pool, ann, true)
    for (let times = 0; times < 20; times++) pool.release(await pool.take(ann))
    for (const stream of streams) pool.release(stream)
    expect(await pool.take(bob, true)).toBeInstanceOf(Resource)
  })

  it('lets users that wait take turns', async () => {
    const pool = createPool(3)
    const held = await Promise.all([pool.take(ann), pool.take(ann)])
    const order: string[] = []
    const wait = async (caller: Caller): Promise<void> => {
      const connection = await pool.take(caller)
      order.push(caller.user!)
      await new Promise(setImmediate)
      pool.release(connection)
    }
    const waiting = [wait(ann), wait(ann), wait(ann), wait(bob), wait(bob)]
    pool.release(held[0])
    await Promise.all(waiting)
    expect(order).toStrictEqual(['ann', 'bob', 'ann', 'bob', 'ann'])
  })

  it('refuses the 101st statement of a user that would wait with "overloaded"', async () => {
    const pool = createPool(3)
    await Promise.all([pool.take(ann), pool.take(ann)])
    const waiting = Array.from({ length: 100 }, async () => pool.take(ann))
    waiting.forEach((each) => each.catch(() => {}))
    await expect(async () => pool.take(ann)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'overloaded',
      retry: true,
    })
    expect(pool.take(bob)).toBeInstanceOf(Promise)
  })

  it('refuses who waits too long with "overloaded", and who no longer waits with "timeout"', async () => {
    const pool = createPool(3, 20)
    const [first] = await Promise.all([pool.take(ann), pool.take(ann)])
    await expect(pool.take(ann)).rejects.toMatchObject({ code: 'overloaded', message: /one user gets 2 of 3/ })
    const gone = new AbortController()
    const waiting = createPool(1)
    await waiting.take(ann)
    const refused = Promise.resolve(waiting.take({ ...ann, signal: gone.signal })).catch((error: unknown) => error)
    gone.abort()
    expect(await refused).toMatchObject({ code: 'timeout' })
    pool.release(first)
    pool.release(await pool.take(ann))
  })

  it('returns the share of a connection that was lost, or could not be opened', async () => {
    let fails = false
    const { pool } = createKnexPool({ max: 3 }, async () => {
      if (fails) throw new Error('refused')
      return new Resource()
    })
    const [one, two] = await Promise.all([pool.take(ann), pool.take(ann)])
    one.usable = two.usable = false
    pool.release(one)
    pool.release(two)
    fails = true
    for (let times = 0; times < 5; times++) await expect(pool.take(ann)).rejects.toThrow('refused')
    fails = false
    expect(await takeAll(pool, ann)).toHaveLength(2)
  })

  it('close() lets those end that waited for their share', async () => {
    const pool = createPool(3)
    const held = await Promise.all([pool.take(ann), pool.take(ann)])
    const waiting = pool.take(ann)
    const closed = pool.close()
    for (const connection of held) pool.release(connection)
    pool.release(await waiting)
    await closed
    await expect(pool.take(ann)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
