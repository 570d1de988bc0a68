import { Router } from '@koa/router'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  defineObject,
  systemPrincipal,
} from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { afterEach, describe, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'
import type { RestRouterOptions } from './rest-router.js'

const Thing = defineObject({
  name: 'Thing',
  fields: { thg_name: { type: 'string', length: 50, key: true } },
  actions: { rename: { run: () => ({ done: true }) } },
})
const ann = systemPrincipal({ login: 'ann' })

let server: TestServer | undefined
afterEach(() => server?.close())

async function createService(): Promise<BusinessObjects> {
  const model = createModel([Thing])
  const store = createMemoryStore()
  await store.sync(model)
  return createBusinessObjects({ model, store })
}

const createRouter = async (options: Partial<RestRouterOptions> = {}) =>
  restRouter(await createService(), { authenticate: () => ann, ...options })

async function start(...middlewares: Middleware[]): Promise<CallService> {
  const app = new Koa()
  for (const middleware of middlewares) app.use(middleware)
  server = await serve(app)
  return createCaller(server.url, null)
}

const says =
  (text: string): Middleware =>
  (context) => {
    context.body = text
  }

describe('restRouter() as a router of @koa/router', () => {
  it('is one, with a route for each kind of address, whatever the number of objects', async () => {
    const router = await createRouter()
    expect(router).toBeInstanceOf(Router)
    expect(router.url('row', { object: 'Thing', row_id: 'a/b' })).toBe('/api/rest/Thing/a%2Fb')
    expect(router.url('action', { object: 'Thing', row_id: '7', name: 'rename' })).toBe(
      '/api/rest/Thing/7/action:rename',
    )
    expect(router.stack).toHaveLength(19)
  })

  it.each([
    ['/api/rest/Thing/1', 'row', { object: 'Thing', row_id: '1' }],
    ['/api/rest/Thing/a%2Fb', 'row', { object: 'Thing', row_id: 'a/b' }],
    ['/api/rest/Thing', 'object', { object: 'Thing' }],
    ['/api/rest/', 'info', {}],
    ['/api/rest/Thing/1/action:rename', 'action', { object: 'Thing', row_id: '1', name: 'rename' }],
    ['/api/rest/Thing/_key/x', 'key', { object: 'Thing', key: 'x' }],
  ])('%s sets the name and the parameters of its route', async (path, name, params) => {
    for (const fastPath of [true, false]) {
      const router = await createRouter({ fastPath })
      let seen: unknown
      const around: Middleware = async (context, next) => {
        await next()
        const { _matchedRouteName, params: found, routeMatched } = context as typeof context & Record<string, unknown>
        seen = [_matchedRouteName, found, routeMatched]
      }
      const call = await start(around, router.routes())
      await call('GET', path)
      expect(seen).toEqual([name, params, true])
      await server?.close()
    }
  })

  it('lets middlewares, routes and handlers of parameters that are added come first', async () => {
    const router = await createRouter()
    const seen: unknown[] = []
    router.use(async (context, next) => {
      await next()
      seen.push([context.method, context.status])
    })
    router.get('/Thing/:row_id/label', says('a label'))
    router.param('row_id', (id, _context, next) => {
      seen.push(id)
      return next()
    })
    const call = await start(router.routes(), router.allowedMethods() as Middleware)
    expect((await call('GET', '/api/rest/Thing/7/label')).text).toBe('a label')
    expect((await call('GET', '/api/rest/Thing/8')).status).toBe(404)
    expect((await call('PATCH', '/api/rest/Thing')).status).toBe(405)
    expect(seen).toEqual(['7', ['GET', 200], '8', ['GET', 404], ['PATCH', 405]])
  })

  it('is moved by prefix()', async () => {
    const router = await createRouter()
    router.prefix('/other')
    const call = await start(router.routes(), says('elsewhere'))
    expect((await call('POST', '/other/Thing', { json: { thg_name: 'x' } })).headers.get('location')).toBe(
      '/other/Thing/1',
    )
    expect((await call('GET', '/other/Thing/1')).json.thg_name).toBe('x')
    expect((await call('GET', '/api/rest/Thing/1')).text).toBe('elsewhere')
  })
})

describe('restRouter() in another router', () => {
  it('shares it with the routes and middlewares of an application', async () => {
    const router = new Router()
    router.get('/v1/ping', says('pong'))
    router.get('/v1/rest/Thing/:row_id/label', says('a label'))
    router.use('/v1/rest', async (context, next) => {
      context.set('X-Around', '1')
      await next()
    })
    router.use((await createRouter({ prefix: '/v1/rest' })).routes())
    router.get('/v1/last', says('last'))
    const call = await start(router.routes() as Middleware, router.allowedMethods() as Middleware)
    const { status, headers } = await call('POST', '/v1/rest/Thing', { json: { thg_name: 'x' } })
    const location = headers.get('location') as string
    expect([status, location, headers.get('x-around')]).toEqual([200, '/v1/rest/Thing/1', '1'])
    expect((await call('PUT', location, { json: { thg_name: 'y' } })).json.thg_name).toBe('y')
    expect((await call('GET', `${location}/label`)).text).toBe('a label')
    expect((await call('DELETE', location)).status).toBe(200)
    for (const base of ['/v1/rest', '/v1/rest/', '/v1/rest?session=true'])
      expect((await call('GET', base)).json).toHaveProperty('session')
    expect((await call('HEAD', '/v1/rest/Thing')).status).toBe(200)
    expect((await call('OPTIONS', '/v1/rest/Thing')).headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    expect((await call('PATCH', '/v1/rest/Thing')).headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    expect((await call('GET', '/v1/rest/Thing/1/more')).json.error).toContain('"/Thing/1/more"')
    expect((await call('GET', '/v1/rest/Thing/%zz')).json.code).toBe('ERR_BAD_REQUEST')
    expect((await call('GET', '/v1/ping')).text).toBe('pong')
    expect((await call('GET', '/v1/last')).text).toBe('last')
    const wrong = await call('POST', '/v1/ping')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'HEAD, GET'])
  })

  it('works below prefixes with parameters, which its addresses repeat', async () => {
    const router = new Router({ prefix: '/:tenant' })
    let tenant: unknown
    const rest = await createRouter({
      prefix: '',
      authenticate: (context) => {
        tenant = (context as typeof context & { params: Record<string, string> }).params['tenant']
        return ann
      },
    })
    router.use('/rest', rest.routes())
    const call = await start(router.routes() as Middleware)
    const { headers } = await call('POST', '/a%20b/rest/Thing', { json: { thg_name: 'x' } })
    expect(headers.get('location')).toBe('/a%20b/rest/Thing/1')
    expect((await call('GET', '/a%20b/rest/Thing/1')).json.thg_name).toBe('x')
    expect((await call('GET', '/a%20b/rest/Thing/?_page=0&_pagesize=1')).headers.get('link')).toContain(
      '</a%20b/rest/Thing/?_pagesize=1&_page=0>; rel="first"',
    )
    expect(tenant).toBe('a b')
  })
})
