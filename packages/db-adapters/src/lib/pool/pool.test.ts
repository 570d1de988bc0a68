import { StoreError } from '@steward/rest-core/errors'
import { describe, expect, it } from 'vitest'
import { ConnectionPool, type Poolable } from './pool.js'

class Resource implements Poolable {
  usable = true
  closed = false

  async close(): Promise<void> {
    this.usable = false
    this.closed = true
  }
}

const limits = { max: 2, acquireTimeoutMs: 5_000, idleTimeoutMs: 60_000 }

/** A pool of things that need nothing from outside; `fail` refuses the next openings. */
function createPool(options: Partial<typeof limits> = {}): {
  pool: ConnectionPool<Resource>
  opened: Resource[]
  fail: { with?: Error }
} {
  const opened: Resource[] = []
  const fail: { with?: Error } = {}
  const open = async (): Promise<Resource> => {
    await Promise.resolve()
    if (fail.with) throw fail.with
    const resource = new Resource()
    opened.push(resource)
    return resource
  }
  return { pool: new ConnectionPool(open, { ...limits, ...options }), opened, fail }
}

describe('ConnectionPool', () => {
  it('opens on demand, and gives the one that was used last', async () => {
    const { pool, opened } = createPool()
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    pool.release(b)
    pool.release(a)
    expect(pool.take()).toBe(a)
    expect(await pool.take()).toBe(b)
    expect(opened).toHaveLength(2)
  })

  it('hands a connection that is brought back to the caller who waits longest', async () => {
    const { pool, opened } = createPool({ max: 1 })
    const first = await pool.take()
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (number) => {
      const connection = await pool.take()
      order.push(number)
      pool.release(connection)
    })
    pool.release(first)
    await Promise.all(waiting)
    expect(order).toStrictEqual([1, 2, 3])
    expect(opened).toHaveLength(1)
  })

  it('refuses a caller who waited for the time-out, and no other', async () => {
    const { pool } = createPool({ max: 1, acquireTimeoutMs: 20 })
    const only = await pool.take()
    const refused: unknown = await Promise.resolve(pool.take()).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreError)
    expect(refused).toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('all 1 are in use') as string,
    })
    const next = pool.take()
    pool.release(only)
    expect(await next).toBe(only)
  })

  it('says when it is connecting that takes too long', async () => {
    const pool = new ConnectionPool<Resource>(() => new Promise(() => {}), { ...limits, acquireTimeoutMs: 20 })
    await expect(pool.take()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('connecting takes longer') as string,
    })
  })

  it('drops lost connections, when they are brought back and when they lie idle', async () => {
    const { pool, opened } = createPool()
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    a.usable = false
    pool.release(a)
    pool.release(b)
    expect(pool.size).toBe(1)
    b.usable = false
    expect(await pool.take()).not.toBe(b)
    expect(pool.size).toBe(1)
    expect(opened.map(({ closed }) => closed)).toStrictEqual([true, true, false])
  })

  it('opens another one for a caller who waits, when a lost one is brought back', async () => {
    const { pool } = createPool({ max: 1 })
    const lost = await pool.take()
    const waiting = pool.take()
    lost.usable = false
    pool.release(lost)
    expect((await waiting).usable).toBe(true)
  })

  it('reports a failure to open to each caller who waits for it, and tries again for the next', async () => {
    const { pool, fail } = createPool()
    fail.with = new StoreError('unavailable', 'refused')
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(async () => pool.take()))
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect(pool.size).toBe(0)
    delete fail.with
    expect((await pool.take()).usable).toBe(true)
  })

  it('does not report to a caller a failure that started before the call', async () => {
    const { pool, fail } = createPool({ max: 2 })
    const first = await pool.take()
    fail.with = new Error('began before')
    const second = pool.take()
    pool.release(first)
    expect(await second).toBe(first)
    delete fail.with
    const third = pool.take()
    await expect(third).resolves.toBeInstanceOf(Resource)
  })

  it('discardIdle() closes what lies idle, and leaves what is in use', async () => {
    const { pool } = createPool()
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    pool.release(a)
    pool.discardIdle()
    expect([a.closed, b.closed]).toStrictEqual([true, false])
    expect(pool.size).toBe(1)
  })

  it('closes connections that were not needed for a while', async () => {
    const { pool, opened } = createPool({ idleTimeoutMs: 5 })
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    pool.release(a)
    pool.release(b)
    while (pool.size > 0) await new Promise((resolve) => setTimeout(resolve, 2))
    expect(opened.every(({ closed }) => closed)).toBe(true)
  })

  it('close() waits for what is in use and for who waits, refuses others, and may be called twice', async () => {
    const { pool, opened } = createPool({ max: 1 })
    const used = await pool.take()
    const waiting = pool.take()
    let closed = false
    const closing = Promise.all([pool.close(), pool.close()]).then(() => (closed = true))
    await expect(pool.take()).rejects.toMatchObject({ code: 'unavailable' })
    pool.release(used)
    const last = await waiting
    await new Promise(setImmediate)
    expect(closed).toBe(false)
    pool.release(last)
    await closing
    expect(opened.every((resource) => resource.closed)).toBe(true)
  })

  it('close() of a pool that was never used resolves', async () => {
    await createPool().pool.close()
  })
})
