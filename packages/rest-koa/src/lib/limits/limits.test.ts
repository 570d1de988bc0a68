import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import { createSystemParameters, systemObjects } from '@steward/rest-core/system'
import Koa from 'koa'
import { afterEach, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import type { RestRouterOptions } from '../router/rest-router.js'
import { createCaller } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { createObjectPool } from './object-pool.js'
import type { ObjectPoolOptions } from './object-pool.js'

const boss = systemPrincipal({ login: 'boss' })
let server: TestServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

/** Objects whose reads wait until `go` is called. */
async function fixture({
  pool,
  ...options
}: Omit<Partial<RestRouterOptions>, 'pool'> & { pool?: Omit<ObjectPoolOptions, 'parameters'> } = {}) {
  const waiting: (() => void)[] = []
  let running = 0
  const slow = (name: string) =>
    defineObject({
      name,
      fields: { text: { type: 'string' } },
      hooks: {
        async preSearch() {
          running++
          await new Promise<void>((resolve) => waiting.push(resolve))
          running--
        },
      },
    })
  const model = createModel([...systemObjects, slow('Slow'), slow('Lazy')])
  const store = createMemoryStore()
  const parameters = createSystemParameters({ model, store })
  const service = createBusinessObjects({ model, store, onChange: () => parameters.clear() })
  const app = new Koa()
  app.silent = true
  app.use(
    restRouter(service, {
      authenticate: ({ req, state }) => {
        const login = String(req.headers['x-user'] ?? '')
        state['anonymous'] = login === ''
        return systemPrincipal({ login: login || 'public' })
      },
      ...(pool && { pool: createObjectPool({ parameters, ...pool }) }),
      ...options,
    }).routes(),
  )
  server = await serve(app)
  const call = createCaller(`${server.url}/api/rest`, null)
  return {
    url: server.url,
    set: (code: string, value: string) => service.create(boss, 'SystemParam', { sys_code: code, sys_value: value }),
    get: (path: string, user = 'ann') => call('GET', path, { headers: user === '' ? {} : { 'x-user': user } }),
    running: () => running,
    connections: () => new Promise((resolve) => server?.server.getConnections((_, count) => resolve(count))),
    go: () => waiting.shift()?.(),
    goAll: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

it('the pool does nothing until its system parameter says so, without restart', async () => {
  const { get, set, running, goAll } = await fixture({ pool: {} })
  await set('WEBSERVICES_OBJECTPOOL_MAXTOTAL', '1')
  const free = [get('/Slow'), get('/Slow'), get('/Slow')]
  await expect.poll(running).toBe(3)
  goAll()
  await Promise.all(free)
  await set('USE_WEBSERVICES_OBJECTPOOL', 'yes')
  const limited = [get('/Slow'), get('/Slow')]
  const other = get('/Slow', 'bob')
  await expect.poll(running).toBe(2)
  goAll()
  await expect.poll(running).toBe(1)
  goAll()
  expect((await Promise.all([...limited, other])).map(({ status }) => status)).toEqual([200, 200, 200])
})

it('one object has its own limit, and cheap calls continue', async () => {
  const { get, set, running, goAll } = await fixture({ pool: {} })
  await set('USE_WEBSERVICES_OBJECTPOOL', 'yes')
  await set('WEBSERVICES_OBJECTPOOL_MAXPEROBJECT', '1')
  const calls = [get('/Slow'), get('/Slow'), get('/Lazy')]
  await expect.poll(running).toBe(2)
  expect((await get('/')).status).toBe(200)
  expect((await get('/User?_count=true')).status).toBe(200)
  goAll()
  await expect.poll(running).toBe(1)
  goAll()
  await Promise.all(calls)
})

it('calls beyond the queue, and those that wait for too long, get 503 with Retry-After', async () => {
  const { get, set, running, goAll } = await fixture({ pool: { maxWaitingPerUser: 1, waitMs: 50 } })
  await set('USE_WEBSERVICES_OBJECTPOOL', 'yes')
  await set('WEBSERVICES_OBJECTPOOL_MAXTOTAL', '1')
  const first = get('/Slow')
  await expect.poll(running).toBe(1)
  const others = await Promise.all([get('/Slow'), get('/Slow')])
  expect(others.map(({ status, json, headers }) => [status, json.code, headers.get('retry-after')])).toEqual([
    [503, 'ERR_UNAVAILABLE', '5'],
    [503, 'ERR_UNAVAILABLE', '5'],
  ])
  goAll()
  expect((await first).status).toBe(200)
})

it('a client that goes away leaves the queue', async () => {
  const { get, set, running, go, url, connections } = await fixture({ pool: {} })
  await set('USE_WEBSERVICES_OBJECTPOOL', 'yes')
  await set('WEBSERVICES_OBJECTPOOL_MAXTOTAL', '1')
  const first = get('/Slow')
  await expect.poll(running).toBe(1)
  const abort = new AbortController()
  const gone = fetch(`${url}/api/rest/Slow`, { headers: { 'x-user': 'ann' }, signal: abort.signal }).catch(() => 'gone')
  await expect.poll(connections).toBe(2)
  const last = get('/Lazy')
  await expect.poll(connections).toBe(3)
  abort.abort()
  expect(await gone).toBe('gone')
  await expect.poll(connections).toBe(2)
  go()
  await first
  await expect.poll(running).toBe(1)
  go()
  expect((await last).status).toBe(200)
})

it('the rate limit counts per user, and per address without credentials, and reports what is left', async () => {
  const { get } = await fixture({ rateLimit: { requests: 2, seconds: 1000 } })
  const first = await get('/')
  expect(first.status).toBe(200)
  expect(first.headers.get('ratelimit-limit')).toBe('2')
  expect(first.headers.get('ratelimit-remaining')).toBe('1')
  expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(900)
  expect(first.headers.get('ratelimit-policy')).toBe('2;w=1000')
  expect((await get('/User')).headers.get('ratelimit-remaining')).toBe('0')
  const refused = await get('/')
  expect([refused.status, refused.json.code]).toEqual([429, 'ERR_TOO_MANY'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(900)
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  expect((await get('/', 'bob')).status).toBe(200)
  expect((await get('/', '')).status).toBe(200)
  expect((await get('/', '')).status).toBe(200)
  expect((await get('/', '')).status).toBe(429)
})

it('a rate limit that cannot be is refused', () => {
  const service = createBusinessObjects({ model: createModel(systemObjects), store: createMemoryStore() })
  for (const rateLimit of [
    { requests: 0, seconds: 1 },
    { requests: 1.5, seconds: 1 },
    { requests: 1, seconds: 0 },
  ])
    expect(() => restRouter(service, { authenticate: () => boss, rateLimit }).routes()).toThrow(TypeError)
})
