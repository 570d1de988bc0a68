import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testInstance } from '../../../../manager-core/src/lib/testing/made-up-operation.js'
import { basic, startServer, type TestServer } from '../../server-for-test.js'

let test: TestServer

beforeAll(async () => {
  test = await startServer({
    config: ["export APPS_USERNAME='ann b'", "export APPS_PASSWORD='pass:wörd'", 'export APPS_LOGINATTEMPTS=0'],
  })
  test.manager.context.registry.transaction((writer) => {
    for (const [n, name] of ['mine', 'other'].entries())
      writer.insertInstance(testInstance({ id: `i${name}`, name, port: 20_000 + n }))
  })
})

afterAll(() => test?.close())

const ann = basic('ann b', 'pass:wörd')
const get = (path: string, authorization: string | undefined = ann, headers: Readonly<Record<string, string>> = {}) =>
  test.get(path, { authorization, ...headers })
const anonymous = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  test.get(path, { authorization: undefined, ...headers })
const newest = () => test.manager.context.registry.history({ limit: 1 })[0]
const token = async (name: string, input: Readonly<Record<string, string>>) =>
  ((await test.manager.perform('token add', { name, ...input })).item as { token: string }).token

describe('log-in', () => {
  it('takes user and password, with a colon and other letters in it', async () => {
    const { status, body } = await get('/api?action=whoami')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 0,
      message: 'You are ann b.',
      item: {
        actor: 'ann b',
        place: 'Steward',
        abilities: ['read', 'operate', 'admin', 'sensitive'],
        instances: null,
        features: { terminal: false, register: false, download: true, proxy: false },
        defaults: {
          databases: ['sqlite', 'mysql', 'postgresql'],
          database: 'sqlite',
          runtime: 'process',
          protected: false,
          auto_save: false,
          auto_update: true,
        },
        hooks: [],
        trash_days: 7,
      },
    })
  })

  it.each([
    ['nothing', ''],
    ['another password', basic('ann b', 'pass:word')],
    ['another user', basic('ann', 'pass:wörd')],
    ['the default one', basic('admin', 'admin')],
    ['no colon', `Basic ${Buffer.from('ann').toString('base64')}`],
    ['no base64', 'Basic %%%'],
    ['an unknown scheme', 'Digest x'],
    ['a token that there is not', `Bearer stw_abcdefgh_${'a'.repeat(43)}`],
    ['a token of rubbish', 'Bearer ../../etc/passwd'],
    ['a very long one', basic('ann b', 'x'.repeat(8000))],
  ])('refuses %s', async (_, authorization) => {
    const { status, headers, body } = await get('/api?action=list', authorization)
    expect(status).toBe(401)
    expect(headers['www-authenticate']).toBe('Basic realm="Steward", charset="UTF-8"')
    expect(body).toMatchObject({ status: 4, code: 'ERR_ACCESS' })
  })

  it('is asked for before anything is said: unknown actions, metrics; programs at pages', async () => {
    for (const path of ['/api', '/api?action=never', '/ui/', '/metrics'])
      expect((await anonymous(path)).status, path).toBe(401)
  })

  it('has failures in the history, without what was typed', async () => {
    await get('/api', basic('s3cret-as-user', 'x'))
    expect(newest()).toMatchObject({ action: 'log-in', actor: 'unknown', result: 'refused', address: '127.0.0.1' })
    expect(JSON.stringify(test.manager.context.registry.history())).not.toContain('s3cret')
  })

  it('keeps serving while the settings cannot be read, refuses changes, and shows strangers nothing about it', async () => {
    const file = join(test.manager.home, 'config.sh')
    const text = readFileSync(file)
    appendFileSync(file, 'rm -rf s3cret\n')
    try {
      const stranger = await get('/api', basic('a', 'b'))
      expect([stranger.status, stranger.text.includes('config.sh')]).toEqual([401, false])
      expect((await get('/api?action=list')).status).toBe(200)
      const { status, body } = await get('/api?action=add&name=third')
      expect([status, body?.['code'], body?.['message']]).toEqual([400, 'ERR_SETTINGS', expect.stringContaining(file)])
    } finally {
      writeFileSync(file, text)
    }
  })

  it('takes another password as soon as it is in the settings', async () => {
    const file = join(test.manager.home, 'config.sh')
    const text = readFileSync(file)
    appendFileSync(file, 'export APPS_PASSWORD=another\n')
    try {
      expect((await get('/api')).status).toBe(401)
      expect((await get('/api', basic('ann b', 'another'))).status).toBe(200)
    } finally {
      writeFileSync(file, text)
    }
  })
})

describe('tokens', () => {
  it('are taken as bearer, and as a password with any user', async () => {
    const text = await token('robot', { abilities: 'operate', instances: 'mine' })
    for (const authorization of [`Bearer ${text}`, `bearer  ${text}`, basic('', text), basic('robot', text)]) {
      const { body } = await get('/api?action=whoami', authorization)
      expect(body?.['item']).toMatchObject({
        actor: 'token robot',
        abilities: ['read', 'operate'],
        instances: ['mine'],
      })
    }
  })

  it('do what their abilities allow, in their scope', async () => {
    const reader = `Bearer ${await token('reader', {})}`
    const mine = `Bearer ${await token('mine', { abilities: 'admin,sensitive', instances: 'mine' })}`
    const status = async (authorization: string, query: string) =>
      (await get(`/api?action=${query}`, authorization)).status
    expect(await status(reader, 'list')).toBe(200)
    expect(await status(reader, 'get&name=other')).toBe(200)
    expect(await status(reader, 'protect&name=mine')).toBe(403)
    expect(await status(reader, 'iocredentials&name=mine')).toBe(403)
    expect(await status(reader, 'token-list')).toBe(403)
    expect(await status(mine, 'protect&name=mine')).toBe(200)
    expect(await status(mine, 'protect&name=other')).toBe(404)
    expect(await status(mine, 'protect&name=other&async=true')).toBe(404)
    expect(await status(mine, 'clone&name=mine&param=more')).toBe(403)
    expect(await status(mine, 'config')).toBe(403)
    const { body } = await get('/api?action=list', mine)
    expect(body?.['list']).toMatchObject([{ name: 'mine' }])
    // Answers are kept for a moment, for the same scope only.
    expect((await get('/api?action=list', reader)).body?.['list']).toHaveLength(2)
    const operations = (await get('/api?action=operations', mine)).body?.['list'] as { instance: string }[]
    expect(new Set(operations.map(({ instance }) => instance))).toEqual(new Set(['mine']))
    expect(newest()).toMatchObject({ actor: 'token mine', address: '127.0.0.1', action: 'config', result: 'refused' })
  })

  it('are made over the API, and are in no file in clear', async () => {
    const { body, headers } = await get('/api?action=token-add&param=made&abilities=read', ann)
    const { token: text = '' } = (body?.['item'] ?? {}) as { token?: string }
    expect(headers['cache-control']).toBe('no-store')
    expect((await get('/api?action=whoami', `Bearer ${text}`)).body?.['item']).toMatchObject({ actor: 'token made' })
    const all = JSON.stringify((await get('/api?action=operations&limit=1000')).body)
    expect(all + JSON.stringify(test.manager.context.registry.history())).not.toContain(text)
    expect((await get('/api?action=token-remove&param=made')).status).toBe(200)
    expect((await get('/api?action=whoami', `Bearer ${text}`)).status).toBe(401)
  })
})

describe('answers', () => {
  it('have headers that forbid browsers what is not needed', async () => {
    for (const path of ['/api?action=list', '/api?action=never', '/nowhere', '/ping']) {
      const { headers } = await get(path)
      expect(headers, path).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      for (const name of ['access-control-allow-origin', 'server', 'x-powered-by', 'strict-transport-security'])
        expect(headers[name], path).toBeUndefined()
    }
    const csp = async (path: string) => (await get(path)).headers['content-security-policy']
    expect(await csp('/ui/')).toContain("script-src 'self'; style-src 'self';")
    expect(await csp('/ui/terminal')).not.toContain('unsafe')
  })
})
