import { createDatabaseServer } from '@steward/db-adapters/server'
import { testDatabaseServer } from '@steward/db-adapters/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresqlUnderTest } from '../../packages/db-adapters/test/postgresql-under-test.js'
import { needsOwn, type TestServer } from '../../tests/servers/index.js'
import { databaseServer } from './src/index.js'

needsOwn('postgresql', (start) => {
  let server: TestServer
  const make = (options: { readonly path?: string } = {}) => {
    const location = { host: '127.0.0.1', port: server.port, user: 'steward', password: 'x' }
    const builtIn = createDatabaseServer({ type: 'postgresql', ...location, ...options })
    return databaseServer.make({ builtIn, location })
  }
  const subject = postgresqlUnderTest(() => server.port, make)

  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server?.close())

  testDatabaseServer(async () => ({ ...subject, trusts: true }))

  it('an instance can have 20 connections, and no more', async () => {
    const account = subject.account('limited')
    await make().create(account)
    const connections = await Promise.all(Array.from({ length: 20 }, () => subject.connect(account)))
    await expect(subject.connect(account)).rejects.toMatchObject({ code: '53300' })
    await Promise.all(connections.map((connection) => connection.close()))
    await make().drop(account)
  })
})
