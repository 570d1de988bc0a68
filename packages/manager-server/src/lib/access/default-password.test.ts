import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { Secret, type GlobalSettings } from '@steward/manager-core'
import { startServer } from '../../server-for-test.js'
import { assertOwnPassword, isFromThisMachine } from './default-password.js'

describe('assertOwnPassword()', () => {
  const settings = (password: string | undefined, proxy = false) =>
    ({
      password: password === undefined ? undefined : new Secret(password),
      proxy: { enabled: proxy },
    }) as GlobalSettings

  it.each([
    ['loopback', undefined, true, false],
    ['loopback, explicitly', 'admin', true, false],
    ['a password of its own on loopback', 's3cret', true, false],
    ['a password of its own elsewhere', 's3cret', false, false],
    ['a password of its own behind the proxy', 's3cret', true, true],
  ])('bears %s', (_, password, isOnLoopback, proxy) => {
    expect(() => assertOwnPassword(settings(password, proxy), isOnLoopback)).not.toThrow()
  })

  it.each([
    ['elsewhere', undefined, false, false],
    ['elsewhere, when it is written down', 'admin', false, false],
    ['behind the proxy, that anybody reaches', undefined, true, true],
  ])('refuses the default password %s', (_, password, isOnLoopback, proxy) => {
    expect(() => assertOwnPassword(settings(password, proxy), isOnLoopback)).toThrow(
      expect.objectContaining({ code: 'ERR_SETTINGS', help: expect.stringContaining('APPS_PASSWORD') }),
    )
  })
})

describe('isFromThisMachine()', () => {
  const ask = (host: string | undefined, headers: object = {}, remoteAddress = '127.0.0.1', address = remoteAddress) =>
    isFromThisMachine(
      { headers: { host, ...headers }, socket: { remoteAddress } } as unknown as IncomingMessage,
      address,
    )

  it.each(['localhost', 'localhost:8000', '127.0.0.1:8000', '[::1]:8000', 'manager.localhost:1', 'LOCALHOST'])(
    'by %s',
    (host) => {
      expect(ask(host)).toBe(true)
    },
  )

  it.each([
    ['another name that leads here (DNS rebinding)', 'evil.example:8000', {}],
    ['a name that looks so', 'localhost.evil.example', {}],
    ['no name', undefined, {}],
    ['a proxy', 'localhost', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy by another header', 'localhost', { via: '1.1 proxy' }],
  ])('not by %s', (_, host, headers) => {
    expect(ask(host, headers)).toBe(false)
  })

  it('not from another machine', () => {
    expect(ask('localhost', {}, '192.0.2.1')).toBe(false)
    expect(ask('localhost', {}, '127.0.0.1', '192.0.2.1')).toBe(false)
  })
})

it('the default password holds on this machine only, and elsewhere its user learns what to do', async () => {
  const test = await startServer()
  try {
    expect((await test.get('/api?action=whoami')).status).toBe(200)
    const { status, body } = await test.get('/api?action=whoami', { host: 'evil.example' })
    expect([status, body?.['message']]).toEqual([403, 'The default password is for this machine only.'])
    expect((await test.get('/api?action=whoami', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(403)
  } finally {
    await test.close()
  }
})
