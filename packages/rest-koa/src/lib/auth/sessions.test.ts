import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { basic, createCaller } from '../testing/caller.js'
import type { Answer, CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { createTestUsers } from '../testing/test-users.js'
import type { TestUsers } from '../testing/test-users.js'
import { createAuthentication } from './authentication.js'
import type { Authentication, AuthenticationOptions } from './authentication.js'
import { loginRouter } from './login-router.js'

const secret = 'a secret of at least thirty-two bytes'
const Thing = defineObject({ name: 'Thing', fields: { thg_name: { type: 'string', length: 50, key: true } } })
let users: TestUsers
let server: TestServer
let authentication: Authentication
let call: CallService

async function start(options: Partial<AuthenticationOptions> = {}): Promise<void> {
  await server?.close()
  const { verifyPassword, principalOf, stampOf } = users
  authentication = createAuthentication({
    authenticator: { verifyPassword, principalOf, securityStampOf: stampOf },
    tokens: { secret },
    sessionCookie: true,
    ...options,
  })
  const model = createModel([Thing])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const app = new Koa()
  app.silent = true
  app.use(loginRouter(authentication).routes())
  app.use(restRouter(service, { authenticate: authentication.authenticate, level: '3.1' }).routes())
  server = await serve(app)
  call = createCaller(server.url, null)
}

beforeEach(async () => {
  users = await createTestUsers({ ann: 'secret', bob: 'hidden' })
  await start()
})
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

/** The clock stands still until it is set. What waits, waits as always. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] })
const moveClock = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const session = (headers: Readonly<Record<string, string>>, path = '/api/rest?session=true'): Promise<Answer> =>
  call('GET', path, { headers })
const withPassword = (headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  session({ authorization: basic('ann', 'secret'), ...headers })

/** The cookie that an answer sets, as the client sends it back. */
function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

describe('the session cookie', () => {
  it('is set by a call with a password, and then stands for the user', async () => {
    const first = await withPassword()
    expect(first.headers.get('set-cookie')).toMatch(
      /^JSESSIONID=[\w-]+\.[\w-]+\.[\w-]+; path=\/; samesite=strict; httponly$/i,
    )
    const cookie = cookieOf(first)
    const second = await session({ cookie: `other=1; ${cookie}; last=2` })
    expect([second.status, second.headers.get('set-cookie')]).toEqual([200, null])
    expect(second.json).toEqual({ session: { id: expect.stringMatching(/./), login: 'ann', userid: 'id of ann' } })
    expect(second.json).toEqual(first.json)
    expect((await call('POST', '/api/rest/Thing', { json: { thg_name: 'x' }, headers: { cookie } })).status).toBe(200)
    expect(users.checks).toBe(1)
  })

  it('is set once: a client that sends both keeps its session, another has its own', async () => {
    const first = await withPassword()
    const again = await withPassword({ cookie: cookieOf(first) })
    expect([again.headers.get('set-cookie'), again.json]).toEqual([null, first.json])
    const other = await withPassword()
    expect(other.json.session.id).not.toBe(first.json.session.id)
  })

  it('gives way to the password of another user', async () => {
    const ann = cookieOf(await withPassword())
    const answer = await session({ authorization: basic('bob', 'hidden'), cookie: ann })
    expect(answer.json.session.login).toBe('bob')
    expect((await session({ cookie: cookieOf(answer) })).json.session.login).toBe('bob')
  })

  it('needs TLS when the client came by TLS to a trusted proxy', async () => {
    const secure = async (headers: Record<string, string> = {}): Promise<boolean> =>
      /; secure/i.test((await withPassword(headers)).headers.get('set-cookie') ?? '')
    expect(await secure({ 'x-forwarded-proto': 'https' })).toBe(false)
    await start({ trustProxy: 'loopback' })
    expect(await secure()).toBe(false)
    expect(await secure({ 'x-forwarded-proto': 'http' })).toBe(false)
    expect(await secure({ 'x-forwarded-proto': 'https' })).toBe(true)
    expect(await secure({ 'x-forwarded-proto': 'https, http' })).toBe(true)
  })

  it.each(['JSESSIONID=', 'JSESSIONID=x', 'JSESSIONID=a.b.c', 'JSESSIONID="', 'JSESSIONID', '=', ';;;'])(
    'when it is %j, is as good as none',
    async (cookie) => {
      const refused = await session({ cookie })
      expect([refused.status, refused.json.error]).toEqual([401, 'This needs a login and password, or a token.'])
      expect((await withPassword({ cookie })).headers.get('set-cookie')).toMatch(/^JSESSIONID=/)
      await start({ publicPrincipal: systemPrincipal({ login: 'public' }) })
      const { status, json, headers } = await session({ cookie })
      expect([status, json.session.login, headers.get('www-authenticate')]).toEqual([200, 'public', null])
    },
  )

  it('does not help a wrong password or a malformed header', async () => {
    const cookie = cookieOf(await withPassword())
    for (const authorization of [basic('ann', 'wrong'), 'nonsense', ''])
      expect((await session({ cookie, authorization })).status).toBe(401)
  })

  it('ends with a logout, in both forms of its token', async () => {
    const cookie = cookieOf(await withPassword())
    const bearer = { authorization: `Bearer ${cookie.slice('JSESSIONID='.length)}` }
    expect([(await session({ cookie })).status, (await session(bearer)).status]).toEqual([200, 200])
    const answer = await session({ cookie }, '/api/logout')
    expect([answer.status, cookieOf(answer)]).toEqual([200, 'JSESSIONID='])
    expect([(await session({ cookie })).status, (await session(bearer)).status]).toEqual([401, 401])
    expect((await session({ cookie }, '/api/logout')).status).toBe(401)
  })

  it('ends with a logout that sends the password too', async () => {
    const cookie = cookieOf(await withPassword())
    expect((await session({ cookie, authorization: basic('ann', 'secret') }, '/api/logout')).status).toBe(200)
    expect((await session({ cookie })).status).toBe(401)
  })

  it('ends with the password it was given for', async () => {
    const cookie = cookieOf(await withPassword())
    await users.add('ann', 'new')
    authentication.drop('id of ann')
    expect((await session({ cookie })).status).toBe(401)
  })

  it('is set by a login too, for the same session as the token', async () => {
    const answer = await session({ authorization: basic('ann', 'secret') }, '/api/login?format=json')
    const { json } = await session({ cookie: cookieOf(answer) })
    expect(json.session.id).toBe(answer.json.sessionid)
  })

  it('is not set for a token or for wrong credentials', async () => {
    const { text: token } = await session({ authorization: basic('ann', 'secret') }, '/api/login')
    for (const authorization of [`Bearer ${token}`, '', basic('ann', 'wrong')])
      expect((await session({ authorization })).headers.get('set-cookie')).toBeNull()
  })

  it('lasts while it is used, as the same session, and a logout ends all of it', async () => {
    stopClock()
    await start({ tokens: { secret, lifetimeSeconds: 60 } })
    const first = await withPassword()
    const old = cookieOf(first)
    expect(cookieOf(await session({ cookie: old }))).toBe('')
    moveClock(31)
    const cookie = cookieOf(await session({ cookie: old }))
    expect(cookie).toMatch(/^JSESSIONID=./)
    expect(cookie).not.toBe(old)
    expect((await session({ cookie })).json).toEqual(first.json)
    expect((await session({ cookie: old }, '/api/logout')).status).toBe(200)
    for (const ended of [old, cookie]) expect((await session({ cookie: ended })).status).toBe(401)
  })

  it('is over some time after it was used last', async () => {
    stopClock()
    await start({ tokens: { secret, lifetimeSeconds: 60 } })
    const cookie = cookieOf(await withPassword())
    moveClock(61)
    expect((await session({ cookie })).status).toBe(401)
  })

  it('is neither set nor read where it is not asked for', async () => {
    const cookie = cookieOf(await withPassword())
    await start({ sessionCookie: false })
    expect((await session({ cookie })).status).toBe(401)
    expect((await withPassword({ cookie })).headers.get('set-cookie')).toBeNull()
    const answer = await session({ authorization: basic('ann', 'secret') }, '/api/logout')
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
  })

  it('needs tokens', () => {
    expect(() => createAuthentication({ authenticator: users, sessionCookie: true })).toThrow(TypeError)
  })
})
