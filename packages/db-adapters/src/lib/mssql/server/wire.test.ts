import { afterEach, describe, expect, it } from 'vitest'
import { openFakeMssql, type FakeMssql, type FakeMssqlOptions } from '../../../../test/fake-mssql.js'
import { createDatabaseServer } from '../../create-database-server.js'

const account = { name: 'steward_a1', user: 'steward_a1', password: "Secret-@:/'1" }
const opened: FakeMssql[] = []
afterEach(async () => {
  for (const fake of opened.splice(0)) await fake.close()
})

async function serverOf(options: FakeMssqlOptions) {
  const fake = await openFakeMssql(options)
  opened.push(fake)
  const { hostname: host, port } = new URL(fake.url)
  const location = { host, port: Number(port), user: 'sa', password: 'x', encryption: 'no' } as const
  return { fake, server: createDatabaseServer({ type: 'mssql', ...location }) }
}

describe('over the wire', () => {
  it.each([
    [18456, 'ERR_CREDENTIALS'],
    [18470, 'ERR_CREDENTIALS'],
    [4060, 'ERR_NOT_FOUND'],
    [40613, 'ERR_UNREACHABLE'],
  ])('a log-in that is refused with %s is %s', async (refuseLogin, code) => {
    const { server, fake } = await serverOf({ refuseLogin })
    await expect(server.probe()).rejects.toMatchObject({ name: 'DatabaseServerError', code })
    await expect(server.dump(account)).rejects.toMatchObject({ code })
    await expect.poll(() => fake.open).toBe(0)
  })

  it.each([
    [262, 'ERR_CREDENTIALS'],
    [1105, 'ERR_DISK_FULL'],
    [9002, 'ERR_DISK_FULL'],
    [208, 'ERR_FAILED'],
  ])('a statement that is refused with %s is %s', async (error, code) => {
    const { server, fake } = await serverOf({ reply: () => ({ error }) })
    await expect(server.extent(account)).rejects.toMatchObject({ code })
    await expect.poll(() => fake.open).toBe(0)
  })

  it('a connection that is cut is ERR_UNREACHABLE, in a dump, too', async () => {
    const { server } = await serverOf({ reply: () => 'cut' })
    await expect(server.statistics(account)).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
    const { content, done } = await server.dump(account)
    content.resume()
    await expect(done).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' })
  })

  it('a dump of a server that is silent ends when it is aborted, and keeps no connection', async () => {
    const { server, fake } = await serverOf({ reply: () => undefined })
    const abort = new AbortController()
    const { content, done } = await server.dump(account, { signal: abort.signal })
    content.resume()
    await expect.poll(() => fake.statements.length).toBeGreaterThan(0)
    abort.abort(new DOMException('not needed any more', 'AbortError'))
    await expect(done).rejects.toThrow('not needed any more')
    await expect.poll(() => fake.open).toBe(0)
  })
})
