import { systemPrincipal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import Koa from 'koa'
import type { Context } from 'koa'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorResponse } from '../middleware/error-response.js'
import { basic, createCaller } from '../testing/caller.js'
import type { Answer, CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { createTestUsers } from '../testing/test-users.js'
import type { TestUsers } from '../testing/test-users.js'
import { createAuthentication } from './authentication.js'
import type { Authentication, AuthenticationOptions } from './authentication.js'
import type { Authenticator } from './authenticator.js'
import { loginRouter } from './login-router.js'
import { createMemoryTokenStore } from './token-store.js'
import { createTokens } from './tokens.js'

const secret = 'a secret of at least thirty-two bytes'
let users: TestUsers
let server: TestServer
let authentication: Authentication
let call: CallService

/** The users with security stamps. */
const stamped = (): Authenticator => ({
  verifyPassword: users.verifyPassword,
  principalOf: users.principalOf,
  securityStampOf: users.stampOf,
})

/** A server that returns the caller. */
async function start(options: Partial<AuthenticationOptions> = {}): Promise<void> {
  await server?.close()
  authentication = createAuthentication({ authenticator: users, tokens: { secret }, ...options })
  const app = new Koa()
  app.silent = true
  app.use(errorResponse())
  app.use(loginRouter(authentication).routes())
  app.use(async (context: Context) => {
    const { login } = await authentication.authenticate(context)
    context.body = { login, session: context.state['session'] }
  })
  server = await serve(app)
  call = createCaller(server.url, null)
}

const as = (authorization: string, path = '/'): Promise<Answer> => call('GET', path, { headers: { authorization } })
const from = (address: string, authorization: string): Promise<Answer> =>
  call('GET', '/', { headers: { authorization, 'x-forwarded-for': address } })

/** The clock stands still from now on, this much later. What waits, waits as always. */
function moveClock(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
  onTestFinished(() => void vi.useRealTimers())
}

beforeEach(async () => {
  users = await createTestUsers({ ann: 'secret', bob: 'bobs own', eva: '' })
  await start()
})
afterEach(() => server.close())

describe('basic authentication', () => {
  it('lets in who has the right password', async () => {
    expect((await as(basic('ann', 'secret'))).json.login).toBe('ann')
  })

  it('takes an empty password only where the application allows it', async () => {
    expect((await as(basic('eva', ''))).status).toBe(401)
    await start({ passwordless: true })
    expect((await as(basic('eva', ''))).json.login).toBe('eva')
    expect((await as(basic('ann', ''))).status).toBe(401)
  })

  it.each([basic('ann', 'wrong'), basic('ann', ''), basic('eve', 'secret'), 'Basic x', 'nonsense', '', 'Bearer x'])(
    'refuses %j with a challenge',
    async (header) => {
      const { status, json, headers } = await as(header)
      expect([status, json.code]).toEqual([401, 'ERR_CREDENTIALS'])
      expect(headers.get('www-authenticate')).toBe('Basic realm="Steward", charset="UTF-8", Bearer realm="Steward"')
    },
  )

  it('offers no password to code of a page, so that the browser does not ask for one', async () => {
    const headers = { 'x-requested-with': 'rest-client' }
    const challenge = async () => (await call('GET', '/', { headers })).headers.get('www-authenticate')
    expect(await challenge()).toBe('Bearer realm="Steward"')
    await start({ tokens: undefined as never })
    expect(await challenge()).toBeNull()
  })

  it('refuses calls without credentials, unless there is a user they act as', async () => {
    expect((await call('GET', '/')).status).toBe(401)
    await start({ publicPrincipal: systemPrincipal({ login: 'public' }) })
    expect((await call('GET', '/')).json.login).toBe('public')
    for (const header of ['nonsense', 'Basic x', basic('eve', 'x'), 'Bearer x', ''])
      expect((await as(header)).status).toBe(401)
    expect((await call('GET', '/', { headers: { 'x-steward-authorization': 'x' } })).status).toBe(401)
  })

  it('names the realm', async () => {
    await start({ realm: 'My shop', tokens: undefined as never })
    expect((await call('GET', '/')).headers.get('www-authenticate')).toBe('Basic realm="My shop", charset="UTF-8"')
    expect(() => createAuthentication({ authenticator: users, realm: 'a"b' })).toThrow(TypeError)
  })

  it('takes its own header before Authorization', async () => {
    await start({ headerName: 'My-App' })
    const headers = { 'x-my-app-authorization': basic('ann', 'secret'), authorization: basic('proxy', 'x') }
    expect((await call('GET', '/', { headers })).json.login).toBe('ann')
    expect((await call('GET', '/', { headers: { ...headers, 'x-my-app-authorization': 'x' } })).status).toBe(401)
    expect(() => createAuthentication({ authenticator: users, headerName: 'a b' })).toThrow(TypeError)
  })
})

describe('the cache of verified credentials', () => {
  it('checks a password once', async () => {
    for (let turn = 0; turn < 5; turn++) await as(basic('ann', 'secret'))
    expect(users.checks).toBe(1)
  })

  it('checks it once for calls at the same time', async () => {
    let go = (): void => {}
    users.delay = new Promise<void>((resolve) => (go = resolve))
    const answers = Array.from({ length: 10 }, () => as(basic('ann', 'secret')))
    await expect.poll(() => users.checks).toBe(1)
    go()
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(users.checks).toBe(1)
  })

  it('does not keep failures, and challenges all who shared one', async () => {
    const answers = await Promise.all([as(basic('ann', 'wrong')), as(basic('ann', 'wrong')), as(basic('ann', 'wrong'))])
    for (const { status, headers } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Basic/)
    }
    await users.add('ann', 'wrong')
    expect((await as(basic('ann', 'wrong'))).status).toBe(200)
  })

  it('forgets a user who changed', async () => {
    await as(basic('ann', 'secret'))
    await as(basic('bob', 'bobs own'))
    await users.add('ann', 'new')
    expect((await as(basic('ann', 'secret'))).status).toBe(200)
    authentication.drop('id of ann')
    expect((await as(basic('ann', 'secret'))).status).toBe(401)
    expect((await as(basic('ann', 'new'))).status).toBe(200)
    const before = users.checks
    await as(basic('bob', 'bobs own'))
    expect(users.checks).toBe(before)
    authentication.clear()
    await as(basic('bob', 'bobs own'))
    expect(users.checks).toBe(before + 1)
  })

  it('does not keep what was being checked when the user changed', async () => {
    let go = (): void => {}
    users.delay = new Promise<void>((resolve) => (go = resolve))
    const running = as(basic('ann', 'secret'))
    await expect.poll(() => users.checks).toBe(1)
    await users.add('ann', 'new')
    authentication.drop('id of ann')
    users.delay = undefined
    go()
    await running
    expect((await as(basic('ann', 'secret'))).status).toBe(401)
  })

  it('ends, and is bounded', async () => {
    await start({ cache: { lifetimeSeconds: 0.05 } })
    await as(basic('ann', 'secret'))
    await new Promise((resolve) => setTimeout(resolve, 60))
    await as(basic('ann', 'secret'))
    expect(users.checks).toBe(2)
    await start({ cache: { maxEntries: 1 } })
    await as(basic('ann', 'secret'))
    await as(basic('bob', 'bobs own'))
    await as(basic('ann', 'secret'))
    expect(users.checks).toBe(5)
  })

  it('with security stamps never checks a password again that is still the same', async () => {
    await start({ authenticator: stamped(), cache: { lifetimeSeconds: 0.05 } })
    await as(basic('ann', 'secret'))
    authentication.drop('id of ann')
    await as(basic('ann', 'secret'))
    authentication.clear()
    await as(basic('ann', 'secret'))
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect((await as(basic('ann', 'secret'))).json.login).toBe('ann')
    expect(users.checks).toBe(1)
    await as(basic('ann', 'secret'), '/api/logout')
    await as(basic('ann', 'secret'))
    expect(users.checks).toBe(2)
    users.remove('ann')
    authentication.clear()
    expect((await as(basic('ann', 'secret'))).status).toBe(401)
    expect(users.checks).toBe(3)
  })

  it('with security stamps notices at once that a password changed', async () => {
    await start({ authenticator: stamped() })
    await as(basic('ann', 'secret'))
    await users.add('ann', 'new')
    authentication.drop('id of ann')
    expect((await as(basic('ann', 'secret'))).status).toBe(401)
    expect((await as(basic('ann', 'new'))).status).toBe(200)
  })

  it('with security stamps outlives a database that is away for a moment', async () => {
    let away = false
    const principalOf: Authenticator['principalOf'] = async (userId) => {
      if (away) throw new RestError('ERR_UNAVAILABLE', 'The database is away.')
      return users.principalOf(userId)
    }
    await start({ authenticator: { ...stamped(), principalOf } })
    await as(basic('ann', 'secret'))
    authentication.clear()
    away = true
    expect((await as(basic('ann', 'secret'))).status).toBe(503)
    away = false
    expect((await as(basic('ann', 'secret'))).status).toBe(200)
    expect(users.checks).toBe(1)
  })

  it('keeps the session the same, and other credentials apart', async () => {
    const ids = []
    for (const header of [basic('ann', 'secret'), basic('ann', 'secret'), basic('bob', 'bobs own')])
      ids.push((await as(header)).json.session.id)
    expect(ids[0]).toBe(ids[1])
    expect(ids[0]).not.toBe(ids[2])
    expect(ids[0]).toMatch(/^[\w-]{43}$/)
  })
})

describe('throttling', () => {
  const limit = { failures: 3, seconds: 300 }

  it('stops guessing at a login from an address, even with the right password', async () => {
    await start({ throttle: { perLoginAndAddress: limit } })
    for (let turn = 0; turn < 3; turn++) expect((await as(basic('ann', `wrong ${turn}`))).status).toBe(401)
    const { status, json, headers } = await as(basic('ann', 'secret'))
    expect([status, json.code]).toEqual([429, 'ERR_TOO_MANY'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(290)
    expect((await as(basic('bob', 'bobs own'))).status).toBe(200)
    expect(users.checks).toBe(4)
  })

  it('does not let many guesses at once slip through', async () => {
    await start({ throttle: { perLoginAndAddress: limit } })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => as(basic('ann', `wrong ${n}`))))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(17)
  })

  it('does not lock out the user at another address', async () => {
    await start({ throttle: { perLoginAndAddress: limit }, trustProxy: 'loopback' })
    for (let turn = 0; turn < 6; turn++) await from('192.0.2.1', basic('ann', `wrong ${turn}`))
    expect((await from('192.0.2.1', basic('ann', 'secret'))).status).toBe(429)
    expect((await from('192.0.2.2', basic('ann', 'secret'))).status).toBe(200)
  })

  it('does not count addresses that a client can invent', async () => {
    await start({ throttle: { perLoginAndAddress: limit } })
    for (let turn = 0; turn < 3; turn++) await from(`192.0.2.${turn}`, basic('ann', `wrong ${turn}`))
    expect((await from('192.0.2.99', basic('ann', 'secret'))).status).toBe(429)
  })

  it('stops one address that tries many logins, but not those who are in', async () => {
    await start({ throttle: { perAddress: limit }, trustProxy: 'loopback' })
    await from('192.0.2.1', basic('bob', 'bobs own'))
    for (let turn = 0; turn < 3; turn++) await from('192.0.2.1', basic(`user ${turn}`, 'x'))
    expect((await from('192.0.2.1', basic('ann', 'secret'))).status).toBe(429)
    expect((await from('192.0.2.1', basic('bob', 'bobs own'))).status).toBe(200)
    expect((await from('192.0.2.2', basic('ann', 'secret'))).status).toBe(200)
  })

  it('counts an IPv6 client by its network', async () => {
    await start({ throttle: { perAddress: limit }, trustProxy: 'loopback' })
    for (const address of ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:0db8::3:4:5:6'])
      await from(address, basic('eve', 'x'))
    expect((await from('2001:db8::7', basic('ann', 'secret'))).status).toBe(429)
    expect((await from('2001:db8:0:1::7', basic('ann', 'secret'))).status).toBe(200)
  })

  it('stops guessing from many addresses, but lets in addresses that were right before', async () => {
    await start({ throttle: { perLogin: limit }, trustProxy: 'loopback', cache: { lifetimeSeconds: 0 } })
    expect((await from('192.0.2.100', basic('ann', 'secret'))).status).toBe(200)
    for (let turn = 0; turn < 3; turn++) expect((await from(`192.0.2.${turn}`, basic('ann', 'wrong'))).status).toBe(401)
    expect((await from('192.0.2.50', basic('ann', 'secret'))).status).toBe(429)
    expect((await from('192.0.2.100', basic('ann', 'secret'))).status).toBe(200)
  })

  it('forgets failures after a success and after the time', async () => {
    await start({ throttle: { perLoginAndAddress: { failures: 2, seconds: 60 } }, cache: { lifetimeSeconds: 0 } })
    for (let turn = 0; turn < 4; turn++) {
      expect((await as(basic('ann', 'wrong'))).status).toBe(401)
      expect((await as(basic('ann', 'secret'))).status).toBe(200)
    }
    for (let turn = 0; turn < 3; turn++) await as(basic('ann', 'wrong'))
    expect((await as(basic('ann', 'secret'))).status).toBe(429)
    moveClock(61)
    expect((await as(basic('ann', 'secret'))).status).toBe(200)
  })

  it('does not count checks that could not be made', async () => {
    await start({ throttle: { perLoginAndAddress: limit } })
    users.delay = Promise.reject(new RestError('ERR_UNAVAILABLE', 'The database is away.'))
    users.delay.catch(() => {})
    for (let turn = 0; turn < 5; turn++) expect((await as(basic('ann', 'secret'))).status).toBe(503)
    users.delay = undefined
    expect((await as(basic('ann', 'secret'))).status).toBe(200)
  })
})

describe('passwords to be checked', () => {
  it('wait for their turn; when too many wait, 503 says when to come again, and does not count as a failure', async () => {
    const limit = { failures: 6, seconds: 300 }
    await start({ passwordQueue: { concurrent: 1, waiting: 2 }, throttle: { perLoginAndAddress: limit } })
    let go = (): void => {}
    users.delay = new Promise<void>((resolve) => (go = resolve))
    const answers: Answer[] = []
    const guesses = Array.from({ length: 6 }, async (_, n) => answers.push(await as(basic('ann', `wrong ${n}`))))
    await expect.poll(() => answers.length).toBe(3)
    expect(users.checks).toBe(1)
    for (const { status, json, headers } of answers) {
      expect([status, json.code]).toEqual([503, 'ERR_UNAVAILABLE'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    go()
    await Promise.all(guesses)
    expect(answers.slice(3).map(({ status }) => status)).toEqual([401, 401, 401])
    for (let turn = 0; turn < 3; turn++) expect((await as(basic('ann', `wrong again ${turn}`))).status).toBe(401)
    expect((await as(basic('ann', 'secret'))).status).toBe(429)
  })
})

describe('tokens', () => {
  async function login(path = '/api/login'): Promise<string> {
    const { status, text } = await as(basic('ann', 'secret'), path)
    expect(status).toBe(200)
    return text
  }

  it('tokens that an old secret signed are taken, those of a secret that is no longer given are not', async () => {
    const token = await createTokens({ secret }).issue('7')
    const newer = 'another secret of at least thirty-two bytes'
    const rotated = createTokens({ secret: newer, oldSecrets: ['one more secret, which nobody used so far', secret] })
    expect(await rotated.verify(token.token)).toMatchObject({ userId: '7', id: token.id })
    const { token: signed } = await rotated.issue('8')
    expect(await createTokens({ secret: newer }).verify(signed)).toMatchObject({ userId: '8' })
    expect(await createTokens({ secret: newer }).verify(token.token)).toBeUndefined()
    expect(await rotated.verify(`${token.token}x`)).toBeUndefined()
  })

  it('login answers a token as plain text, which works instead of the password', async () => {
    const answer = await as(basic('ann', 'secret'), '/api/login')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    const { json } = await as(`Bearer ${answer.text}`)
    expect(json).toEqual({
      login: 'ann',
      session: { id: expect.any(String), authtoken: answer.text, authtokenexpiry: expect.any(Number) },
    })
    expect(
      (await call('GET', '/', { headers: { 'x-steward-authorization': `Bearer ${answer.text}` } })).json.login,
    ).toBe('ann')
  })

  it.each([
    ['GET', '?format=json', {}],
    ['GET', '?_output=json', {}],
    ['POST', '', { accept: 'application/json' }],
  ])('%s /api/login%s %j answers JSON', async (method, query, headers) => {
    const { json } = await call(method, `/api/login${query}`, {
      headers: { ...headers, authorization: basic('ann', 'secret') },
    })
    expect(json).toEqual({
      authtoken: expect.stringMatching(/\./),
      authtokenexpiry: expect.any(Number),
      login: 'ann',
      userid: 'id of ann',
      firstname: 'First',
      lastname: 'Last',
      email: 'a@b.c',
      lang: 'fr',
      sessionid: expect.stringMatching(/./),
    })
    expect(json.authtokenexpiry - Date.now()).toBeGreaterThan(7.9 * 3600_000)
    expect((await as(`Bearer ${json.authtoken}`)).json.session.id).toBe(json.sessionid)
  })

  it('takes the form of the answer from a body, too, and refuses one that it does not know', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (body: string, path = '/api/login', headers = {}) =>
      call('POST', path, { body, headers: { ...form, ...headers } })
    expect((await post('login=ann&password=secret&format=json')).json.login).toBe('ann')
    expect((await post('_output=json', undefined, { authorization: basic('ann', 'secret') })).json.login).toBe('ann')
    // Clients announce a type also of nothing.
    const json = { 'content-type': 'application/json', authorization: basic('ann', 'secret') }
    for (const body of ['', ' ']) expect(await post(body, undefined, json)).toMatchObject({ status: 200 })
    expect((await post('login=ann&password=secret&format=text', '/api/login')).text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    for (const path of ['/api/login', '/api/logout']) {
      const wrong = await as(basic('ann', 'secret'), `${path}?_output=oauth2`)
      expect([wrong.status, wrong.json.error]).toEqual([400, 'Parameter "_output" is "oauth2"; give json or text.'])
    }
    expect((await post('login=ann&password=secret&format=xml')).status).toBe(400)
  })

  it.each([
    ['application/json', '{"username":"ann","password":"secret"}'],
    ['application/json; charset=utf-8', '{"login":"ann","password":"secret"}'],
    ['application/x-www-form-urlencoded', 'username=ann&password=secret'],
  ])('takes the password in a body of type %s', async (type, body) => {
    const { status, text } = await call('POST', '/api/login', { body, headers: { 'content-type': type } })
    expect(status).toBe(200)
    expect((await as(`Bearer ${text}`)).json.login).toBe('ann')
  })

  it.each([
    ['application/json', '{"username":"ann","password":"wrong"}', 401],
    ['application/json', '{"username":"ann"}', 401],
    ['application/json', '{"username":{"a":1},"password":"secret"}', 401],
    ['application/json', 'null', 401],
    ['application/json', '{"username":"ann","password":"hunter2', 400],
    ['application/x-www-form-urlencoded', 'username=ann', 401],
    ['text/plain', 'ann', 415],
    ['application/json', `{"password":"${'x'.repeat(20_000)}"}`, 413],
  ])('refuses a body of type %s with %s', async (type, body, status) => {
    const answer = await call('POST', '/api/login', { body, headers: { 'content-type': type } })
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain('hunter2')
  })

  it('takes no password from the address, no token, and no other method', async () => {
    expect((await call('GET', '/api/login?username=ann&password=secret')).status).toBe(401)
    expect((await as(`Bearer ${await login()}`, '/api/login')).status).toBe(401)
    expect((await call('POST', '/api/login')).status).toBe(401)
    const { status, headers } = await call('PUT', '/api/login')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  it('a form on a page of another site cannot log a user in', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }
    const { status, json } = await call('POST', '/api/login', { body: 'login=ann&password=secret', headers })
    expect([status, json.code]).toEqual([403, 'ERR_ORIGIN'])
  })

  it('a login is throttled as a call is', async () => {
    await start({ throttle: { perLoginAndAddress: { failures: 2, seconds: 300 } } })
    for (let turn = 0; turn < 2; turn++) await as(basic('ann', 'wrong'), '/api/login')
    expect((await as(basic('ann', 'secret'), '/api/login')).status).toBe(429)
  })

  it('logout revokes the token at once, and no other', async () => {
    const [one, other] = [await login(), await login()]
    expect((await as(`Bearer ${one}`)).status).toBe(200)
    const { status, text } = await as(`Bearer ${one}`, '/api/logout')
    expect([status, text]).toEqual([200, 'OK'])
    expect((await as(`Bearer ${one}`)).status).toBe(401)
    expect((await as(`Bearer ${one}`, '/api/logout')).status).toBe(401)
    expect((await as(`Bearer ${other}`)).status).toBe(200)
    expect((await call('GET', '/api/logout')).status).toBe(401)
    expect((await as(basic('ann', 'secret'), '/api/logout?format=json')).json).toEqual({ status: 'OK' })
  })

  it('a token of a user who is gone works no more', async () => {
    const token = await login()
    users.remove('ann')
    expect((await as(`Bearer ${token}`)).status).toBe(401)
  })

  it('end with the password they were given for, where there are security stamps', async () => {
    const unstamped = await login()
    await start({ authenticator: stamped() })
    expect((await as(`Bearer ${unstamped}`)).status).toBe(401)
    const token = await login()
    expect((await as(`Bearer ${token}`)).status).toBe(200)
    await users.add('ann', 'new')
    authentication.drop('id of ann')
    expect((await as(`Bearer ${token}`)).status).toBe(401)
    await users.add('ann', 'secret')
    expect((await as(`Bearer ${token}`)).status).toBe(401)
    expect((await as(`Bearer ${await login()}`)).status).toBe(200)
  })

  it('logout ends the token however it is written', async () => {
    const token = await login()
    for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`])
      expect((await as(header)).status).toBe(200)
    await as(`Bearer ${token}`, '/api/logout')
    for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER  ${token}`])
      expect((await as(header)).status).toBe(401)
  })

  it('refuses tokens that are forged, over, or of another issuer', async () => {
    const tokens = (options: object): Promise<string> =>
      createTokens({ secret, ...options })
        .issue('id of ann')
        .then(({ token }) => token)
    expect((await as(`Bearer ${await tokens({})}`)).status).toBe(200)
    const [head = '', body = '', signature = ''] = (await tokens({})).split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    const changed = Buffer.from(Buffer.from(body, 'base64url').toString().replace('ann', 'bob')).toString('base64url')
    const wrong = [
      await tokens({ secret: 'another secret of thirty-two bytes' }),
      await tokens({ lifetimeSeconds: -10 }),
      await tokens({ issuer: 'other' }),
      unsigned,
      `${head}.${changed}.${signature}`,
      `${head}.${body}`,
      `${head}.${body}.${signature.slice(0, -2)}`,
    ]
    for (const token of wrong) expect((await as(`Bearer ${token}`)).status).toBe(401)
  })

  it('a kept token ends when it ends', async () => {
    await start({ tokens: { secret, lifetimeSeconds: 60 } })
    const token = await login()
    expect((await as(`Bearer ${token}`)).status).toBe(200)
    moveClock(61)
    expect((await as(`Bearer ${token}`)).status).toBe(401)
  })

  it('outlive a restart with the same secret, revocations with the same store', async () => {
    const store = createMemoryTokenStore()
    await start({ tokens: { secret: async () => Buffer.from(secret), store } })
    const [one, other] = [await login(), await login()]
    await as(`Bearer ${one}`, '/api/logout')
    await start({ tokens: { secret, store } })
    expect((await as(`Bearer ${one}`)).status).toBe(401)
    expect((await as(`Bearer ${other}`)).status).toBe(200)
  })

  it('need a secret of 32 bytes, asked for until there is one', async () => {
    expect(() => createTokens({ secret: 'short' })).toThrow(/at least 32/)
    let turn = 0
    const tokens = createTokens({
      secret: () => {
        if (turn++ === 0) throw new Error('not there yet')
        return secret
      },
    })
    await expect(tokens.issue('1')).rejects.toThrow('not there yet')
    expect((await tokens.issue('1')).userId).toBe('1')
    await tokens.issue('1')
    expect(turn).toBe(2)
  })

  it('are not there unless asked for', async () => {
    await start({ tokens: undefined as never })
    expect((await as(basic('ann', 'secret'), '/api/login')).status).toBe(404)
    expect((await as('Bearer a.b.c')).status).toBe(401)
  })
})
