/** @module-tag mixed */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import type { DatabaseAccount } from '@steward/db-adapters/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { execute, givenVendors, needs } from '../../../../../tests/servers/index.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { databaseConfig } from '../testing/database-config.js'

for (const type of ['postgresql', 'mysql', ...givenVendors] as const)
  needs(type, (url) => {
    const tags = type === 'postgresql' ? ['core' as const] : []
    let manager: TestManager

    beforeAll(async () => {
      manager = await createTestManager({ config: databaseConfig(url) })
    })
    afterAll(() => manager?.close())

    const server = () => manager.context.databases.server(type)
    const accountOf = async (name: string) =>
      manager.context.databases.account(manager.path(name), await manager.context.settings.instance(manager.path(name)))
    const isThere = (account: DatabaseAccount) => server().exists(account)
    const rowsIn = async (account: DatabaseAccount) => (await server().statistics(account)).rows

    test('instances have databases and users of their own, from add to purge', { tags }, async () => {
      const { perform } = manager
      await perform('add', { name: 'demo', database: type })
      const demo = await accountOf('demo')
      expect(await isThere(demo)).toBe('yes')
      // As the application does.
      await execute(server().url(demo), 'create table note (text varchar(20))')
      await execute(server().url(demo), `insert into note values ('mine')`)

      await perform('clone', { name: 'demo', new: 'copy', 'no-start': true })
      const copy = await accountOf('copy')
      for (const key of ['name', 'user', 'password'] as const) expect(copy[key]).not.toBe(demo[key])
      expect(await rowsIn(copy)).toEqual({ note: 1 })
      await execute(server().url(copy), `insert into note values ('of the copy')`)
      expect(await rowsIn(demo)).toEqual({ note: 1 })

      await perform('stop', { name: 'demo' })
      await perform('reset', { name: 'demo' })
      const fresh = await accountOf('demo')
      expect(fresh.name).not.toBe(demo.name)
      expect(await isThere(fresh)).toBe('yes')
      await perform('undelete', { entry: 'demo', as: 'old' })
      expect(await accountOf('old')).toMatchObject({ name: demo.name, user: demo.user, password: demo.password })
      expect(await rowsIn(demo)).toEqual({ note: 1 })

      await perform('start', { name: 'demo' })
      expect(await rowsIn(fresh)).toEqual({})

      for (const name of ['old', 'copy', 'demo']) await perform('delete', { name })
      for (const account of [demo, copy, fresh]) expect(await isThere(account)).toBe('yes')
      await perform('purge', { all: true })
      for (const account of [demo, copy, fresh]) expect(await isThere(account)).toBe('no')
    })

    test('an instance whose database was dropped, or no longer has tables, is not started', { tags }, async () => {
      const { perform } = manager
      const stop = () => perform('stop', { name: 'lost' })
      const start = () => perform('start', { name: 'lost' })
      const refusal = (what: string) => ({ code: 'ERR_STATE', message: expect.stringContaining(what) })
      await perform('add', { name: 'lost', database: type })
      const account = await accountOf('lost')
      await execute(server().url(account), 'create table note (text varchar(20))')
      await stop()
      await start()
      await stop()
      await execute(server().url(account), 'drop table note')
      await expect(start()).rejects.toMatchObject(refusal(`its database ${account.name} no longer has tables`))
      await server().drop(account)
      await expect(start()).rejects.toMatchObject(refusal(`its database ${account.name} or its user is missing`))
      await perform('start', { name: 'lost', empty: true })
      expect(await isThere(account)).toBe('yes')
      await perform('delete', { name: 'lost', purge: true })
    })
  })

needs('postgresql', (url) => {
  let way: Awaited<ReturnType<typeof openWay>>
  let manager: TestManager

  beforeAll(async () => {
    way = await openWay(Number(new URL(url).port))
    const through = new URL(url)
    through.port = String(way.port)
    manager = await createTestManager({ config: databaseConfig(through.href) })
  })
  afterAll(async () => {
    await manager?.close()
    way?.close()
  })

  test(
    'a server that is down is reported before anything is created, and a purge waits for it',
    { tags: 'core' },
    async () => {
      const { perform, context, home } = manager
      const database = 'postgresql'
      await perform('add', { name: 'demo', database, 'no-start': true })
      await perform('delete', { name: 'demo' })
      way.close()
      await expect(perform('add', { name: 'other', database })).rejects.toMatchObject({
        code: 'ERR_DATABASE',
        help: expect.stringContaining('config.sh'),
      })
      expect(context.registry.count()).toBe(0)
      expect(readdirSync(join(home, 'instances'))).toEqual([])
      await expect(perform('purge', { entry: 'demo' })).rejects.toMatchObject({ code: 'ERR_DATABASE' })
      await way.open()
      await perform('purge', { entry: 'demo' })
      expect((await perform('trash')).list).toEqual([])
    },
  )
})

/** A port that leads to another one. While it is closed nothing listens, as where a server is down. */
async function openWay(target: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [client, upstream].forEach((each) => each.destroy()))
    }
    client.pipe(upstream).pipe(client)
  })
  let port = 0
  const way = {
    get port() {
      return port
    },
    async open() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      port = (server.address() as AddressInfo).port
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  await way.open()
  return way
}
