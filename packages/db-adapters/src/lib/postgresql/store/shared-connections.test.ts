import { describe, expect, it } from 'vitest'
import type { PostgresqlConnection } from './connection.js'
import { SharedConnections } from './shared-connections.js'

class Fake {
  usable = true
  pending = 0
  busySince = 0

  async close(): Promise<void> {
    this.usable = false
  }
}

function share(size: number, open = async () => new Fake()) {
  const opened: Fake[] = []
  const shared = new SharedConnections(async () => {
    const connection = await open()
    opened.push(connection)
    return connection as unknown as PostgresqlConnection
  }, size)
  return { shared, opened }
}

describe('SharedConnections', () => {
  it('discardIdle() discards a connection in use, which its last user closes', async () => {
    const { shared, opened } = share(1)
    const users = [await shared.take(), await shared.take()]
    opened[0]!.pending = 2
    shared.discardIdle()
    expect(await shared.take()).toBe(opened[1])
    shared.release(users[0]!)
    expect(opened[0]!.usable).toBe(true)
    shared.release(users[1]!)
    expect(opened.map(({ usable }) => usable)).toStrictEqual([false, true])
    await shared.close()
  })

  it.each([
    ['opens', (opening: PromiseWithResolvers<Fake>) => opening.resolve(new Fake())],
    ['fails', (opening: PromiseWithResolvers<Fake>) => opening.reject(new Error('killed'))],
  ])('discardIdle() discards a connection that is being opened, and %s later', async (_, end) => {
    const opening = Promise.withResolvers<Fake>()
    let opens = 0
    const { shared } = share(1, () => (opens++ === 0 ? opening.promise : Promise.resolve(new Fake())))
    const [before, joining] = [shared.take(), shared.take()]
    shared.discardIdle()
    const after = await shared.take()
    end(opening)
    expect(await Promise.all([before, joining])).toStrictEqual([after, after])
    expect(after.usable).toBe(true)
    expect(opens).toBe(2)
    await shared.close()
  })

  it('close() closes connections that are being opened and in use', async () => {
    const { shared, opened } = share(2)
    await shared.take()
    shared.discardIdle()
    const last = shared.take()
    await Promise.all([shared.close(), last])
    expect(opened.map(({ usable }) => usable)).toStrictEqual([false, false])
  })
})
