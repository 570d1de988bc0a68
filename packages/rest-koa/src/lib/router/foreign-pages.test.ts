import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import Koa from 'koa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAuthentication } from '../auth/authentication.js'
import { loginRouter } from '../auth/login-router.js'
import { createMemoryTokenStore } from '../auth/token-store.js'
import { basic, createCaller } from '../testing/caller.js'
import type { Answer } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { createTestUsers } from '../testing/test-users.js'
import { restRouter } from './rest-router.js'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

let server: TestServer
let pings: number
/** With a login that a browser keeps. */
let send: (headers: Record<string, string>) => Promise<Answer>
let exists: () => Promise<boolean>

/** What a page can have a browser do without asking first. */
const calls: readonly (readonly [string, string, string, Record<string, string>])[] = [
  ['a DELETE by POST', 'POST', '/api/rest/Note/1?_method=DELETE', form],
  ['an action by GET', 'GET', '/api/rest/Note/1?_action=ping', {}],
  ['a log-in', 'POST', '/api/login', form],
]

describe.each(calls)('%s', (what, method, path, headers) => {
  beforeEach(async () => {
    pings = 0
    const Note = defineObject({
      name: 'Note',
      fields: { text: { type: 'string' } },
      actions: { ping: { scope: 'record', run: () => `${++pings}` } },
    })
    const service = createBusinessObjects({ model: createModel([Note]), store: createMemoryStore() })
    const boss = systemPrincipal({ login: 'boss' })
    await service.create(boss, 'Note', { text: 'x' })
    const users = await createTestUsers({ ann: 'ann' })
    const authentication = createAuthentication({
      authenticator: users,
      tokens: { secret: 'a secret of at least thirty-two bytes', store: createMemoryTokenStore() },
    })
    const app = new Koa()
    app.silent = true
    app.use(loginRouter(authentication).routes())
    app.use(restRouter(service, authentication).routes())
    server = await serve(app)
    const call = createCaller(server.url)
    send = (more) => call(method, path, { headers: { ...headers, authorization: basic('ann', 'ann'), ...more } })
    exists = async () => (await service.count(boss, 'Note')).count === 1
  })
  afterEach(() => server.close())

  it.each<[string, Record<string, string>]>([
    ['Origin', { origin: 'http://evil.example' }],
    ['Referer', { referer: 'http://evil.example/page' }],
  ])('of a page that only %s shows to be of another site is refused, and nothing is done', async (_, from) => {
    const { status, json } = await send(from)
    expect([status, json.code]).toEqual([403, 'ERR_ORIGIN'])
    expect([pings, await exists()]).toEqual([0, true])
  })

  it.each<[string, () => Record<string, string>]>([
    ['an own page, told by Origin', () => ({ origin: server.url })],
    ['an own page, told by Referer', () => ({ referer: `${server.url}/page` })],
    ['a program', () => ({})],
  ])('of %s is done', async (_, from) => {
    expect((await send(from())).status).toBe(200)
    expect([pings, await exists()]).toEqual([what.includes('action') ? 1 : 0, !what.includes('DELETE')])
  })
})
