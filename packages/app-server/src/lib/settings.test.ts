import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, resolveDatabase } from './open-database.js'
import { readEnvironmentFile, readSettings } from './settings.js'

test('readSettings() takes what is set and leaves the rest open', () => {
  expect(readSettings({ STEWARD_PORT: '0', STEWARD_HOST: '', NODE_ENV: 'production' })).toMatchObject({
    port: 0,
    host: undefined,
    environment: undefined,
    nodeEnvironment: 'production',
  })
  expect(readSettings({ STEWARD_ENV: 'staging', NODE_ENV: 'production' }).environment).toBe('staging')
})

test.each(['http', '-1', '65536', '1.5'])('readSettings() refuses the port %j', (port) => {
  expect(() => readSettings({ STEWARD_PORT: port })).toThrow(
    `STEWARD_PORT must be a port from 0 to 65535, not "${port}".`,
  )
})

test('readSettings() knows whether nothing may be sent out, and takes no other word for it', () => {
  expect(readSettings({}).neutralised).toBe(false)
  expect(readSettings({ STEWARD_NEUTRALISED: 'true' }).neutralised).toBe(true)
  expect(() => readSettings({ STEWARD_NEUTRALISED: 'yes' })).toThrow(
    'STEWARD_NEUTRALISED must be true or false, not "yes".',
  )
})

test('readSettings() takes how durable SQLite is, and no other word for it', () => {
  expect(readSettings({}).synchronous).toBeUndefined()
  expect(readSettings({ STEWARD_SYNCHRONOUS: 'full' }).synchronous).toBe('full')
  expect(() => readSettings({ STEWARD_SYNCHRONOUS: 'on' })).toThrow(
    'STEWARD_SYNCHRONOUS must be normal or full, not "on".',
  )
})

test('openDatabase() gives the store how durable it is: the setting goes before app.yaml', async () => {
  const open = (own: unknown, outside: unknown) =>
    openDatabase({
      folder: '/app',
      dataFolder: '/app/data',
      introspect: false,
      definition: { name: 'a', version: '1', database: 'sqlite::memory:', synchronous: own as 'full' },
      settings: { ...readSettings({}), synchronous: outside as 'full' },
    })
  await expect(open('own', undefined)).rejects.toThrow('must be "normal" or "full", not "own"')
  await expect(open('full', 'outside')).rejects.toThrow('must be "normal" or "full", not "outside"')
  for (const store of [await open(undefined, undefined), await open('full', undefined), await open('full', 'normal')])
    await store.close()
})

test.each([
  ['sqlite:data/a.db', 'sqlite:/app/data/a.db'],
  ['sqlite:/var/a.db', 'sqlite:/var/a.db'],
  ['sqlite::memory:', 'sqlite::memory:'],
  ['postgres://u@h/d', 'postgres://u@h/d'],
])('the database %j of a folder /app is %j', (url, expected) => {
  expect(resolveDatabase(url, '/app')).toBe(expected)
})

test('readSettings() takes trusted proxies, separated by commas', () => {
  expect(readSettings({ STEWARD_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' }).trustedProxies).toEqual([
    'loopback',
    '10.0.0.0/8',
  ])
  expect(readSettings({}).trustedProxies).toBe(undefined)
})

test('readEnvironmentFile() adds what the file says, and changes nothing that is set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'settings.env')
  writeFileSync(file, 'STEWARD_ADMIN_PASSWORD="of the file"\nSTEWARD_PORT=1\n')
  const environment: NodeJS.ProcessEnv = { STEWARD_ENV_FILE: file, STEWARD_PORT: '2' }
  readEnvironmentFile(environment)
  expect(readSettings(environment)).toMatchObject({ adminPassword: 'of the file', port: 2 })
  readEnvironmentFile({})
  expect(() => readEnvironmentFile({ STEWARD_ENV_FILE: join(folder, 'none') })).toThrow(
    'STEWARD_ENV_FILE names a file that cannot be read: ENOENT',
  )
})
