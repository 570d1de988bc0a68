import { expect, test } from 'vitest'
import { mssqlConfig } from './config.js'

const user = { type: 'default', options: { userName: 'sa', password: 'p@ss/word' } }

test('a URL says where the server is, and what follows are options of the driver', () => {
  const url = 'mssql://sa:p%40ss%2Fword@host:1444/a%20b?encrypt=false&trustServerCertificate=true&packetSize=8192'
  const { client } = mssqlConfig({ connection: url })
  expect(client).toMatchObject({
    server: 'host',
    authentication: user,
    options: { port: 1444, database: 'a b', encrypt: false, trustServerCertificate: true, packetSize: 8192 },
  })
})

test('an object says it too, also as knex has it', () => {
  const { client } = mssqlConfig({ connection: { host: 'other', user: 'sa', password: 'p@ss/word', database: 'd' } })
  expect(client).toMatchObject({ server: 'other', authentication: user, options: { database: 'd' } })
  expect(mssqlConfig({ connection: {} }).client.server).toBe('localhost')
})

test('limits are those of the store, whatever the URL says', () => {
  const connection = 'sqlserver://sa@host/d?requestTimeout=1&connectTimeout=2'
  const { client, setUp } = mssqlConfig({ connection, statementTimeoutMs: 7_000, lockTimeoutMs: 50 })
  expect(client.options).toMatchObject({ requestTimeout: 7_000, connectTimeout: 5_000, cancelTimeout: 5_000 })
  expect(setUp).toContain('set lock_timeout 50')
})

test('another scheme is refused without the URL, because of its password', () => {
  const refused = (): unknown => mssqlConfig({ connection: 'mysql://sa:tiger@host/d' })
  expect(refused).toThrow('mysql:')
  expect(refused).not.toThrow('tiger')
})

test('options of the driver that are texts stay texts', () => {
  const { client } = mssqlConfig({ connection: 'mssql://sa@host/d?workstationId=7&appName=true&packetSize=8192' })
  expect(client.options).toMatchObject({ workstationId: '7', appName: 'true', packetSize: 8192 })
})
