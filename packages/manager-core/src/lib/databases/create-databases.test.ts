import { expect, test } from 'vitest'
import { Secret } from '../domain/secret.js'
import { createPlugins } from '../system/plugins.js'
import type { InstanceSettings, Settings } from '../settings/settings.js'
import { createDatabases } from './create-databases.js'

const server = { host: '127.0.0.1', port: 1, adminUser: 'root', adminPassword: new Secret('s3cret') }
const settings = {
  global: {
    databases: ['sqlite', 'postgresql', 'oracle', 'mssql'],
    databaseServers: {
      postgresql: server,
      mysql: server,
      oracle: { ...server, service: 'FREEPDB1', environment: {} },
      mssql: { ...server, encryption: 'trust' },
    },
  },
} as unknown as Settings
const databases = createDatabases({
  home: { folder: '/' },
  plugins: createPlugins('/nowhere'),
  settings: () => settings,
})

test('types that the settings do not name are refused', () => {
  expect(() => databases.server('mysql')).toThrow(
    expect.objectContaining({ code: 'ERR_STATE', help: expect.stringContaining('sqlite, postgresql') }),
  )
})

test('URLs say which service of Oracle, and how connections to SQL Server are encrypted', () => {
  const account = { name: 'steward_a', user: 'steward_a', password: 'p@ss' }
  expect(databases.server('oracle').url(account)).toBe('oracle://steward_a:p%40ss@127.0.0.1:1/FREEPDB1')
  expect(databases.server('mssql').url(account)).toBe(
    'mssql://steward_a:p%40ss@127.0.0.1:1/steward_a?trustServerCertificate=true',
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
  await expect(databases.server('sqlite').statistics(missing)).rejects.toMatchObject({ code: 'ERR_DATABASE' })
})
