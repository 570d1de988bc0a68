import { StoreError } from '@steward/rest-core/errors'
import { describe, expect, it } from 'vitest'
import { createMysqlStore } from '../../mysql.js'
import { createPostgresqlStore } from '../../postgresql.js'
import { loadDriver, serverStoreLimits } from './options.js'

const secret = 'very-secret-9'

const factories = {
  postgresql: { create: createPostgresqlStore, scheme: 'postgresql' },
  mysql: { create: createMysqlStore, scheme: 'mysql' },
} as const

for (const [name, { create, scheme }] of Object.entries(factories)) {
  describe(name, () => {
    it('is made without connecting, and closed without having been used', async () => {
      const store = create({ connection: `${scheme}://app:${secret}@127.0.0.1:1/app` })
      expect(store.capabilities.name).toBe(name)
      expect(Object.isFrozen(store.capabilities)).toBe(true)
      await store.close()
    })

    it('refuses options that cannot work, without showing the URL', () => {
      for (const connection of [
        secret,
        `http://app:${secret}@host/app`,
        `${scheme}://app:${secret}@host:port/app`,
        undefined,
        5,
        null,
      ]) {
        const make = (): unknown => create({ connection: connection as string })
        expect(make).toThrow(TypeError)
        expect(make).toThrow(typeof connection === 'string' ? /^The database URL / : /^Option "connection"/)
        expect(make).not.toThrow(secret)
      }
      for (const options of [
        { pool: { max: 0 } },
        { pool: { max: 1.5 } },
        { pool: { acquireTimeoutMs: -1 } },
        { lockTimeoutMs: 0 },
        { statementTimeoutMs: Number.NaN },
      ]) {
        expect(() => create({ ...options, connection: `${scheme}://host/app` })).toThrow(/must be a whole number/)
      }
    })

    it('says that the server cannot be reached, again at each call, and never shows the password', async () => {
      const options = { host: '127.0.0.1', port: 1, user: 'app', password: secret, database: 'app' }
      for (const connection of [options, `${scheme}://app:${secret}@127.0.0.1:1/app`]) {
        const store = create({ connection })
        for (let attempt = 0; attempt < 2; attempt++) {
          const error = await store.ping().catch((reason: unknown) => reason as StoreError)
          expect(error).toBeInstanceOf(StoreError)
          expect(error).toMatchObject({ code: 'unavailable' })
          expect(JSON.stringify([error, (error as StoreError).message, (error as StoreError).cause])).not.toContain(
            secret,
          )
        }
        await store.close()
      }
      expect(options.password).toBe(secret)
    })
  })
}

it('serverStoreLimits() fills in what is documented', () => {
  expect(serverStoreLimits({ pool: { max: 3 } })).toStrictEqual({
    pool: { max: 3, acquireTimeoutMs: 5_000, idleTimeoutMs: 60_000 },
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 10_000,
    maxPreparedStatements: 200,
  })
})

it('loadDriver() names the package that is missing', async () => {
  const missing = 'no-such-driver'
  const error: unknown = await loadDriver(missing, () => import(missing)).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'internal',
    message: expect.stringContaining('npm install no-such-driver') as string,
  })
  await expect(loadDriver('broken', () => Promise.reject(new SyntaxError('inside')))).rejects.toThrow(SyntaxError)
})
