import { expect, test } from 'vitest'
import { Secret } from '../domain/secret.js'
import type { InstanceSettings, Settings } from '../settings/settings.js'
import { createDatabases } from './create-databases.js'

const server = { host: '127.0.0.1', port: 1, adminUser: 'root', adminPassword: new Secret('s3cret') }
const settings = {
  global: {
    databases: ['sqlite', 'postgresql', 'oracle'],
    databaseServers: { postgresql: server, mysql: server, oracle: server, mssql: server },
  },
} as unknown as Settings
const databases = createDatabases({ settings: () => settings })

test('types that the settings do not name, or that have no implementation, are refused', () => {
  expect(() => databases.server('mysql')).toThrow(
    expect.objectContaining({ code: 'ERR_STATE', help: expect.stringContaining('sqlite, postgresql') }),
  )
  expect(() => databases.server('oracle')).toThrow(
    expect.objectContaining({ code: 'ERR_STATE', message: expect.stringContaining('not managed by this version') }),
  )
})

test('names of an instance are of its id, or a file in its home', () => {
  expect(databases.names('postgresql', 'abcd1234')).toEqual({ name: 'steward_abcd1234', user: 'steward_abcd1234' })
  expect(databases.names('sqlite', 'abcd1234')).toEqual({ name: 'data/database.db', user: '' })
  const own = { database: 'sqlite', databaseName: 'data/database.db' } as InstanceSettings
  expect(databases.account('/home/of/it', own)).toMatchObject({ name: '/home/of/it/data/database.db', password: '' })
})

test('errors are those of the manager, and say what to do', async () => {
  await expect(databases.server('postgresql').probe()).rejects.toMatchObject({
    name: 'ManagerError',
    code: 'ERR_DATABASE',
    help: expect.stringContaining('config.sh'),
    message: expect.not.stringContaining('s3cret'),
  })
  const missing = { name: '/nowhere/database.db', user: '', password: '' }
  await expect(databases.server('sqlite').dump(missing)).rejects.toMatchObject({ code: 'ERR_DATABASE' })
})
