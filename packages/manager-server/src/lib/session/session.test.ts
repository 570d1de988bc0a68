import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestOptions } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../../../../manager-core/src/lib/store/sqlite.js'
import { testInstance } from '../../../../manager-core/src/lib/testing/made-up-operation.js'
import { basic, get, startServer, type TestAnswer, type TestServer } from '../../server-for-test.js'
import { createManagerServer } from '../create-manager-server.js'

type Headers = Readonly<Record<string, string | undefined>>

let test: TestServer

beforeAll(async () => {
  test = await startServer({ config: ['export APPS_PASSWORD=s3cret', 'export APPS_LOGINATTEMPTS=6'] })
  test.manager.context.registry.transaction((writer) => {
    for (const [n, name] of ['mine', 'other'].entries())
      writer.insertInstance(testInstance({ id: `i${name}`, name, port: 20_000 + n }))
  })
})

afterAll(() => test?.close())

/** As a page of the manager asks. */
const page = { 'x-manager-request': 'ui' }
const ask = (method: string, path: string, headers: Headers = {}, options: RequestOptions & { body?: string } = {}) =>
  get(`${test.server.url}${path}`, headers, { method, ...options })
const signIn = (given: object, headers: Headers = page) =>
  ask('POST', '/api/session', { 'content-type': 'application/json', ...headers }, { body: JSON.stringify(given) })
const cookiesOf = ({ headers }: TestAnswer) => headers['set-cookie'] ?? []
const sessionCookie = (answer: TestAnswer) => cookiesOf(answer).find((one) => one.startsWith('steward_session')) ?? ''
/** What a browser sends from then on. */
const sentAfter = (answer: TestAnswer) => ({
  ...page,
  cookie: cookiesOf(answer)
    .map((one) => one.split(';', 1)[0])
    .join('; '),
  'x-manager-session': String(answer.body?.['key']),
})
const administrator = { name: 'admin', password: 's3cret' }
const open = async () => sentAfter(await signIn(administrator))
const whoami = async (headers: Headers) => (await ask('GET', '/api?action=whoami', headers)).status
const newest = () => test.manager.context.registry.history({ limit: 1 })[0]

describe('signing in', () => {
  it('opens a session by a cookie that no page reads and a key, and writes it into the history', async () => {
    const answer = await signIn(administrator)
    expect([answer.status, answer.body?.['message']]).toEqual([200, 'You are signed in as admin.'])
    expect(sessionCookie(answer)).toMatch(/^steward_session_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(cookiesOf(answer)).toContainEqual(expect.stringMatching(/^steward_device=/))
    expect(newest()).toMatchObject({ action: 'log-in', actor: 'admin', result: 'ok', address: '127.0.0.1' })
    expect(answer.headers['cache-control']).toBe('no-store')
    const sent = sentAfter(answer)
    const { body } = await ask('GET', '/api/session', sent)
    expect(body?.['item']).toMatchObject({
      actor: 'admin',
      abilities: ['read', 'operate', 'admin', 'sensitive'],
      session: { id: expect.stringMatching(/^\w{8}$/), stays: false },
    })
    expect(JSON.stringify(body)).not.toContain(sent['x-manager-session'])
    expect(await whoami(sent)).toBe(200)
    expect((await ask('GET', '/metrics', sent)).status).toBe(200)
    expect((await ask('GET', '/api/session', page)).body).toMatchObject({ status: 0, item: null })
  })

  it('has a cookie that outlives the browser when it is to stay, and for HTTPS alone when it came by that', async () => {
    const stays = sessionCookie(await signIn({ ...administrator, stay: true }))
    const expires = Date.parse(/Expires=([^;]+)/.exec(stays)?.[1] ?? '')
    expect(Math.round((expires - Date.now()) / 86_400_000)).toBe(30)
    const cookie = async (headers: Headers) => sessionCookie(await signIn(administrator, { ...page, ...headers }))
    expect(await cookie({ 'x-forwarded-proto': 'https' })).toMatch(/; Secure$/)
    expect(await cookie({ 'x-forwarded-proto': 'http' })).not.toMatch(/Secure/)
  })

  it('takes a token as the password: the session may do what the token may, as long as it is there', async () => {
    const { item } = await test.manager.perform('token add', { name: 'robot', abilities: 'operate', instances: 'mine' })
    const { token } = item as { token: string }
    const answer = await signIn({ name: '', password: token, stay: true })
    const sent = sentAfter(answer)
    const { body } = await ask('GET', '/api/session', sent)
    expect(body?.['item']).toMatchObject({
      actor: 'token robot',
      abilities: ['read', 'operate'],
      instances: ['mine'],
      session: { stays: true },
    })
    const status = async (query: string) => (await ask('GET', `/api?action=${query}`, sent)).status
    expect([await status('get&name=mine'), await status('get&name=other'), await status('token-list')]).toEqual([
      200, 404, 403,
    ])
    await test.manager.perform('token remove', { name: 'robot' })
    expect(await whoami(sent)).toBe(401)
    const secret = await test.manager.perform('token add', { name: 'reader of secrets', abilities: 'sensitive' })
    const refused = await signIn({ name: '', password: (secret.item as { token: string }).token })
    expect([refused.status, sessionCookie(refused)]).toEqual([403, ''])
  })

  it.each([
    ['no JSON', '{', 'application/json', 400],
    ['no object', 'null', 'application/json', 400],
    ['no password', '{"name":"admin"}', 'application/json', 400],
    ['a number', '{"name":"admin","password":1}', 'application/json', 400],
    ['a form, as any page can send one', 'name=admin&password=s3cret', 'application/x-www-form-urlencoded', 415],
    ['text, as any page can send it', '{"name":"admin","password":"s3cret"}', 'text/plain', 415],
    ['much', `{"name":"${'x'.repeat(20_000)}"}`, 'application/json', 413],
  ])('refuses %s', async (_, body, type, status) => {
    const answer = await ask('POST', '/api/session', { ...page, 'content-type': type }, { body })
    expect([answer.status, sessionCookie(answer)]).toEqual([status, ''])
  })

  it('takes no other methods', async () => {
    expect((await ask('PUT', '/api/session', page)).headers['allow']).toBe('GET, POST, DELETE')
    expect((await ask('GET', '/api/session/ticket', page)).headers['allow']).toBe('POST')
    expect((await ask('POST', '/api?action=list', page)).headers['allow']).toBe('GET')
  })
})

describe('a session', () => {
  it('ends when its user signs out, on the server too', async () => {
    const sent = await open()
    const answer = await ask('DELETE', '/api/session', sent)
    expect([answer.status, sessionCookie(answer)]).toEqual([200, expect.stringContaining('=; Path=/; Max-Age=0;')])
    expect(newest()).toMatchObject({ action: 'log-out', actor: 'admin', result: 'ok' })
    expect(await whoami(sent)).toBe(401)
    expect((await ask('DELETE', '/api/session', page)).status).toBe(200)
  })

  it('ends when an administrator removes it, and when the password changes', async () => {
    const [first, second] = [await open(), await open()]
    const { list = [] } = (await ask('GET', '/api?action=session-list', first)).body as { list?: { id: string }[] }
    const { item } = (await ask('GET', '/api/session', second)).body as { item?: { session: { id: string } } }
    const id = String(item?.session.id)
    expect(list.map((one) => one.id)).toContain(id)
    expect((await ask('GET', `/api?action=session-remove&param=${id}`, first)).status).toBe(200)
    expect([await whoami(first), await whoami(second)]).toEqual([200, 401])
    const file = join(test.manager.home, 'config.sh')
    const text = readFileSync(file)
    appendFileSync(file, 'export APPS_PASSWORD=another\n')
    try {
      expect(await whoami(first)).toBe(401)
    } finally {
      writeFileSync(file, text)
    }
  })

  it('lasts while the settings cannot be read, and when the server is started again', async () => {
    const sent = await open()
    const file = join(test.manager.home, 'config.sh')
    const text = readFileSync(file)
    appendFileSync(file, 'rm -rf x\n')
    try {
      expect((await ask('GET', '/api?action=operations', sent)).status).not.toBe(401)
    } finally {
      writeFileSync(file, text)
    }
    const manager = test.manager.manager as unknown as Parameters<typeof createManagerServer>[0]['manager']
    const again = await createManagerServer({ manager, listen: '127.0.0.1:0' })
    try {
      expect((await get(`${again.url}/api?action=whoami`, sent)).status).toBe(200)
    } finally {
      await again.close()
    }
  })

  it('is another one after each sign-in: no planted value is taken over', async () => {
    const name = sessionCookie(await signIn(administrator)).split('=', 1)[0]
    const planted = `${name}=${'a'.repeat(43)}`
    const answer = await signIn(administrator, { ...page, cookie: planted })
    expect(sessionCookie(answer)).not.toContain('a'.repeat(43))
    const sent = sentAfter(answer)
    expect(await whoami({ ...sent, cookie: planted })).toBe(401)
    // A sibling sub-domain may put its own beside it, first.
    const before = await open()
    expect(await whoami({ ...sent, cookie: `${planted}; ${sent.cookie}` })).toBe(200)
    expect(await whoami({ ...sent, cookie: `${before.cookie}; ${sent.cookie}` })).toBe(200)
    expect(await whoami({ ...sent, cookie: before.cookie })).toBe(401)
    // Signed in again, the one before has ended.
    const next = sentAfter(await signIn(administrator, sent))
    expect([await whoami(sent), await whoami(next)]).toEqual([401, 200])
  })

  it('is not proved by its cookie alone, which other ports and instances of the same host get', async () => {
    const { cookie, 'x-manager-session': key } = await open()
    for (const headers of [
      { cookie },
      { ...page, cookie },
      { ...page, 'x-manager-session': key },
      { ...page, cookie, 'x-manager-session': '' },
      { ...page, cookie, 'x-manager-session': cookie.replace(/^.*=/, '') },
      { 'sec-fetch-site': 'same-origin', cookie },
    ])
      for (const path of ['/api?action=whoami', '/api?action=protect&name=mine', '/term/ticket', '/metrics'])
        expect((await ask('GET', path, headers)).status, path).toBe(401)
    expect((await ask('POST', '/api/session/ticket', { ...page, cookie })).status).toBe(401)
    expect(test.manager.instance('mine').protected).toBe(false)
  })

  it('is not opened by what the registry holds', async () => {
    await open()
    const rows = test.manager.context.registry[sqlite].prepare('select * from session').all()
    const name = sessionCookie(await signIn(administrator)).split('=', 1)[0]
    for (const { hash, key_hash: key } of rows)
      expect(await whoami({ ...page, cookie: `${name}=${String(hash)}`, 'x-manager-session': String(key) })).toBe(401)
  })

  it('does nothing that a page of another origin asks, and opens none there', async () => {
    const sent = await open()
    const foreign = { ...sent, 'x-manager-request': undefined, origin: 'http://evil.test' }
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { ...foreign, 'sec-fetch-site': site }
      expect((await ask('GET', '/api?action=protect&name=mine', headers)).status, site).toBe(403)
      expect((await ask('DELETE', '/api/session', headers)).status, site).toBe(403)
      expect((await signIn(administrator, headers)).status, site).toBe(403)
      expect((await ask('GET', '/term/ticket', headers)).status, site).toBe(403)
      expect((await ask('POST', '/api/session/ticket', headers)).status, site).toBe(403)
    }
    expect(test.manager.instance('mine').protected).toBe(false)
    expect(await whoami(sent)).toBe(200)
    const { headers } = await ask('OPTIONS', '/api/session', { ...foreign, 'access-control-request-method': 'POST' })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('a ticket', () => {
  it('is for one download, and for nothing that changes something', async () => {
    const sent = await open()
    const issue = async () => String((await ask('POST', '/api/session/ticket', sent)).body?.['ticket'])
    const ticket = await issue()
    expect((await ask('GET', `/api?action=whoami&ticket=${ticket}`)).body?.['item']).toMatchObject({ actor: 'admin' })
    expect((await ask('GET', `/api?action=whoami&ticket=${ticket}`)).status).toBe(401)
    expect((await ask('GET', `/api?action=protect&name=mine&ticket=${await issue()}`)).status).toBe(403)
    expect((await ask('GET', `/api?action=list&async=true&ticket=${await issue()}`)).status).toBe(403)
    expect((await ask('GET', `/api?action=whoami&ticket=x`, sent)).status).toBe(401)
    const unused = await issue()
    await ask('DELETE', '/api/session', sent)
    expect((await ask('GET', `/api?action=whoami&ticket=${unused}`)).status).toBe(401)
    expect(test.manager.instance('mine').protected).toBe(false)
  })
})

describe('pages', () => {
  const browser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'none' }

  it('send a browser that is not signed in to the page for it, and back', async () => {
    const at = async (path: string, headers: Headers = {}) => {
      const answer = await ask('GET', path, { ...browser, ...headers })
      return [answer.status, answer.headers['location'], answer.headers['www-authenticate']]
    }
    expect(await at('/ui/instances/demo?a=b&c=d')).toEqual([
      302,
      '/ui/sign-in?next=%2Fui%2Finstances%2Fdemo%3Fa%3Db%26c%3Dd',
      undefined,
    ])
    expect((await at('/ui/sign-in?next=//evil.test'))[0]).not.toBe(302)
    const { cookie } = await open()
    expect((await at('/ui/', { cookie }))[0]).not.toBe(302)
    expect((await at('/ui/', { cookie: cookie.replaceAll(/=[^;]+/g, '=x') }))[0]).toBe(302)
    // Programs get the answer that they know.
    const program = await ask('GET', '/ui/')
    expect([program.status, program.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)])
    const wrong = await ask('GET', '/ui/', { ...browser, authorization: basic('admin', 'x') })
    expect(wrong.status).toBe(401)
  })

  it('get no box of the browser for what they ask, and programs the usual challenge', async () => {
    const challenge = async (headers: Headers) =>
      (await ask('GET', '/api?action=list', headers)).headers['www-authenticate'] !== undefined
    expect(await challenge(page)).toBe(false)
    expect(await challenge({ 'sec-fetch-site': 'same-origin' })).toBe(false)
    expect(await challenge({ 'x-manager-request': '1' })).toBe(true)
    expect(await challenge({})).toBe(true)
  })
})

describe('wrong passwords', () => {
  it('are refused and counted as everywhere else', async () => {
    const { cookie } = await open()
    const wrong = await signIn({ name: 'admin', password: 'guess' })
    expect([wrong.status, wrong.body?.['message']]).toEqual([401, 'User or password is wrong.'])
    expect([wrong.headers['www-authenticate'], wrong.headers['set-cookie']]).toEqual([undefined, undefined])
    const program = await signIn({ name: 'admin', password: 'guess' }, {})
    expect(program.headers['www-authenticate']).toMatch(/^Basic /)
    for (let n = 0; n < 4; n++) await ask('GET', '/api', { authorization: basic('admin', `guess ${n}`) })
    const waits = await signIn({ name: 'admin', password: 's3cret' })
    expect([waits.status, Number(waits.headers['retry-after']) > 0]).toEqual([429, true])
    const history = test.manager.context.registry.history({ limit: 1000 })
    expect(history).toContainEqual(expect.objectContaining({ action: 'log-in', actor: 'admin', result: 'refused' }))
    expect(JSON.stringify(history)).not.toContain('guess')
    // A browser that was signed in before is not locked out by others.
    expect((await signIn(administrator, { ...page, cookie })).status).toBe(200)
  })
})

it('a session is refused when its token is removed while its use is written', async () => {
  const { item } = await test.manager.perform('token add', { name: 'brief', abilities: 'read', instances: 'mine' })
  const sent = sentAfter(await signIn({ name: '', password: (item as { token: string }).token }))
  expect(await whoami(sent)).toBe(200)
  const { [sqlite]: database } = test.manager.context.registry
  // The server writes at most once a minute.
  const recently = new Date(Date.now() - 120_000).toISOString()
  database.prepare('update session set last_used = ?').run(recently)
  // As another process does while the write waits for the registry.
  database.exec(`create trigger meanwhile after update of last_used on session
    begin delete from token where name = 'brief'; end`)
  try {
    const answer = await ask('GET', '/api?action=token%20add&name=mine&abilities=admin,sensitive&days=0', sent)
    expect([answer.status, answer.body?.['code']]).toEqual([401, 'ERR_ACCESS'])
    expect(await whoami(sent)).toBe(401)
  } finally {
    database.exec('drop trigger meanwhile')
  }
  expect((await test.manager.perform('token list')).list).not.toContainEqual(expect.objectContaining({ name: 'mine' }))
})
