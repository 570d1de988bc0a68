import { StoreError } from '@steward/rest-core/errors'
import { describe, expect, it } from 'vitest'
import { createGivenPool, createPool, Resource } from '../../../test/knex-pool.js'

const turn = () => new Promise(setImmediate)

describe('KnexPool', () => {
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

  it('gives an idle connection to others who ask the instance of knex, and takes it back after them', async () => {
    const { pool, knex, opened } = createPool({ max: 1 })
    pool.release(await pool.take())
    const raw = (await knex.client.acquireConnection()) as object
    expect(raw).toBe(opened[0]!.raw)
    const waiting = pool.take()
    await turn()
    await knex.client.releaseConnection(raw)
    expect(await waiting).toBe(opened[0])
  })

  it('refuses a caller who waited for the time-out, and no other', async () => {
    const { pool } = createPool({ max: 1, acquireTimeoutMs: 20 })
    const only = await pool.take()
    const refused: unknown = await Promise.resolve(pool.take()).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StoreError)
    const message = expect.stringContaining('all 1 are in use') as string
    expect(refused).toMatchObject({ code: 'overloaded', message })
    const next = pool.take()
    pool.release(only)
    expect(await next).toBe(only)
  })

  it('says when it is connecting that takes too long', async () => {
    const { pool } = createPool({ acquireTimeoutMs: 20 }, () => new Promise(() => {}))
    const message = expect.stringContaining('connecting takes longer') as string
    await expect(pool.take()).rejects.toMatchObject({ code: 'unavailable', message })
  })

  it('drops lost connections, when they are brought back and when they lie idle', async () => {
    const { pool, opened } = createPool()
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    a.usable = false
    pool.release(a)
    pool.release(b)
    b.usable = false
    const c = await pool.take()
    expect([a, b]).not.toContain(c)
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
    let fails = true
    const { pool } = createPool({}, async () => {
      if (fails) throw new StoreError('unavailable', 'refused')
      return new Resource()
    })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(async () => pool.take()))
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    fails = false
    expect((await pool.take()).usable).toBe(true)
  })

  it('discardIdle() closes what lies idle at once, and what is in use when it is brought back', async () => {
    const { pool } = createPool()
    const [a, b] = await Promise.all([pool.take(), pool.take()])
    pool.release(a)
    pool.discardIdle()
    expect([a.closed, b.closed]).toStrictEqual([true, false])
    pool.release(b)
    expect(b.closed).toBe(true)
    expect([a, b]).not.toContain(await pool.take())
  })

  it('discardIdle() also discards what others have, and what is being opened', async () => {
    const opening = [Promise.withResolvers<Resource>(), Promise.withResolvers<Resource>()]
    const { pool, knex, opened } = createPool(
      {},
      () => opening[opened.length]?.promise ?? Promise.resolve(new Resource()),
    )
    const taking = [knex.client.acquireConnection() as Promise<object>, pool.take()] as const
    await turn()
    opening[0]!.resolve(new Resource())
    const raw = await taking[0]
    pool.discardIdle()
    opening[1]!.resolve(new Resource())
    await knex.client.releaseConnection(raw)
    const later = (await taking[1]) as Resource
    expect(opened.slice(0, 2)).not.toContain(later)
    expect(later.usable).toBe(true)
  })

  it('a failure to open is not reported to a caller who came after its start', async () => {
    const opening = [Promise.withResolvers<Resource>(), Promise.withResolvers<Resource>()]
    let opens = 0
    const { pool } = createPool({}, () => opening[opens++]?.promise ?? Promise.resolve(new Resource()))
    const [first, second] = [pool.take(), pool.take()]
    await turn()
    opening[0]!.resolve(new Resource())
    const a = (await first) as Resource
    pool.release(a as never)
    expect(await second).toBe(a)
    // The other one, for which no caller waits any more, is lost while it is opened, like the first.
    a.usable = false
    pool.release(a as never)
    pool.discardIdle()
    const again = pool.take()
    await turn()
    opening[1]!.reject(new StoreError('unavailable', 'killed'))
    expect((await again).usable).toBe(true)
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
    await turn()
    expect(closed).toBe(false)
    pool.release(last)
    await closing
    expect(opened.every((resource) => resource.closed)).toBe(true)
  })

  it('close() of a pool that was never used resolves', async () => {
    await createPool().pool.close()
  })
})

describe('KnexPool of an instance of the application', () => {
  it('discardIdle() also discards connections that lie idle in the instance', async () => {
    const { pool, knex, opened } = createGivenPool(async () => {})
    const raws = await Promise.all([1, 2].map(() => knex.client.acquireConnection() as Promise<object>))
    await Promise.all(raws.map((raw) => knex.client.releaseConnection(raw) as Promise<void>))
    pool.release(await pool.take())
    pool.discardIdle()
    expect(await pool.take()).toBe(opened[2])
  })

  it('takes another connection when one that was open before turns out to be lost', async () => {
    const { pool, knex, opened, destroyed } = createGivenPool(async (connection) => {
      if (connection === opened[0]) throw new StoreError('unavailable', 'lost')
    })
    const raw = (await knex.client.acquireConnection()) as object
    await knex.client.releaseConnection(raw)
    expect(await pool.take()).toBe(opened[1])
    expect(destroyed).toStrictEqual([raw])
  })

  it('reports a failure on a connection that was opened for the caller', async () => {
    const { pool, opened } = createGivenPool(() => Promise.reject(new StoreError('unavailable', 'lost')))
    await expect(pool.take()).rejects.toThrow('lost')
    expect(opened).toHaveLength(1)
  })
})
