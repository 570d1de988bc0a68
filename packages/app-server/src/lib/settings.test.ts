import { expect, test } from 'vitest'
import { resolveDatabase } from './open-database.js'
import { readSettings } from './settings.js'

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
