import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  defineObject,
} from '@steward/rest-core'
import type { BusinessObjects } from '@steward/rest-core'
import { RestError, StoreError } from '@steward/rest-core/errors'
import Koa from 'koa'
import type { Context, Middleware } from 'koa'
import mount from 'koa-mount'
import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../http/log.js'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { connectTo, serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { restRouter } from './rest-router.js'
import type { RestRouterOptions } from './rest-router.js'

const Thing = defineObject({ name: 'Thing', fields: { thg_name: { type: 'string', length: 50, key: true } } })
const ann = systemPrincipal({ login: 'ann' })
const authenticate = (): typeof ann => ann

let server: TestServer | undefined
afterEach(() => server?.close())

async function createService(): Promise<BusinessObjects> {
  const model = createModel([Thing])
  const store = createMemoryStore()
  await store.sync(model)
  return createBusinessObjects({ model, store })
}

/** Serves middlewares and gives a caller to the root of the server. */
async function start(...middlewares: Middleware[]): Promise<{ call: CallService; errors: unknown[] }> {
  const app = new Koa()
  const errors: unknown[] = []
  app.on('error', (error) => errors.push(error))
  for (const middleware of middlewares) app.use(middleware)
  server = await serve(app)
  return { call: createCaller(server.url, null), errors }
}

async function startRouter(
  options: Partial<RestRouterOptions> = {},
  service?: Partial<BusinessObjects>,
): Promise<{ call: CallService; errors: unknown[] }> {
  return start(restRouter({ ...(await createService()), ...service }, { authenticate, ...options }).routes())
}

describe('restRouter() in other applications', () => {
  const other: Middleware = (context) => {
    context.body = `other ${context.path}`
  }

  it('leaves requests outside its prefixes to the next middleware', async () => {
    const { call } = await start(
      restRouter(await createService(), { authenticate, prefix: ['/a/b', '/cws/rest/'] }).routes(),
      other,
    )
    expect((await call('GET', '/a/b/Thing')).json).toEqual([])
    expect((await call('GET', '/cws/rest/Thing')).json).toEqual([])
    for (const path of ['/', '/a', '/a/bc/Thing', '/api/rest/Thing'])
      expect((await call('GET', path)).text).toBe(`other ${path}`)
  })

  it('works below koa-mount, and its addresses hold the mount path', async () => {
    const { call } = await start(
      mount('/shop', restRouter(await createService(), { authenticate, prefix: '' }).routes()),
      other,
    )
    const { headers, json } = await call('POST', '/shop/Thing', { json: { thg_name: 'x' } })
    expect(headers.get('location')).toBe(`/shop/Thing/${json.row_id}`)
    expect((await call('GET', headers.get('location') as string)).json).toEqual(json)
    expect((await call('GET', '/shop/Thing/?_page=0&_pagesize=1')).headers.get('link')).toContain(
      '</shop/Thing/?_pagesize=1&_page=0>; rel="first"',
    )
    expect((await call('GET', '/shop')).json).toHaveProperty('user')
    expect((await call('GET', '/shop?session=true')).json).toHaveProperty('session')
    expect((await call('GET', '/shopping')).text).toBe('other /shopping')
  })

  it('works below koa-mount with a prefix of its own', async () => {
    const { call } = await start(mount('/shop', restRouter(await createService(), { authenticate }).routes()))
    const { headers } = await call('POST', '/shop/api/rest/Thing', { json: { thg_name: 'x' } })
    expect((await call('GET', headers.get('location') as string)).status).toBe(200)
  })

  it.each(['direct', 'koa'] as const)(
    'middlewares around it see the status and keep their headers (%s)',
    async (respond) => {
      const seen: unknown[] = []
      const around: Middleware = async (context, next) => {
        context.set('X-Before', '1')
        context.set('X-Content-Type-Options', 'other')
        await next()
        seen.push([context.status, context.state['principal']?.login, context.state['bytes']])
        context.set('X-After', '1')
      }
      const { call } = await start(around, restRouter(await createService(), { authenticate, respond }).routes())
      const created = await call('POST', '/api/rest/Thing', { json: { thg_name: 'é' } })
      expect(created.headers.get('x-before')).toBe('1')
      expect(created.headers.get('x-content-type-options')).toBe('nosniff')
      expect(created.headers.get('x-after')).toBe(respond === 'koa' ? '1' : null)
      await call('GET', '/api/rest/Thing/99')
      const gone = await call('GET', created.headers.get('location') as string, {
        headers: { 'if-none-match': created.headers.get('etag') as string },
      })
      expect([gone.status, gone.text]).toEqual([304, ''])
      expect(seen).toEqual([
        [200, 'ann', Buffer.byteLength(created.text)],
        [404, 'ann', expect.any(Number)],
        [304, 'ann', undefined],
      ])
    },
  )

  it('middlewares around it set headers and compress after next(), also of streams', async () => {
    const service = await createService()
    for (let n = 0; n < 1200; n++) await service.create(ann, 'Thing', { thg_name: `thing ${n}` })
    const compress: Middleware = async (context, next) => {
      await next()
      context.set('X-Response-Time', '1')
      context.cookies.set('session', 'kept')
      const { body } = context
      context.set('Content-Encoding', 'gzip')
      context.remove('Content-Length')
      context.body = (body instanceof Readable ? body : Readable.from([Buffer.from(body as string)])).pipe(createGzip())
    }
    const { call, errors } = await start(compress, restRouter(service, { authenticate }).routes())
    for (const [path, length] of [
      ['/api/rest/Thing', 1200],
      ['/api/rest/Thing?_page=0&_pagesize=3', 3],
    ] as const) {
      const { json, headers } = await call('GET', path)
      expect([json.length, headers.get('content-encoding'), headers.get('x-response-time')]).toEqual([
        length,
        'gzip',
        '1',
      ])
      expect(headers.get('set-cookie')).toContain('session=kept')
    }
    expect((await call('GET', '/api/rest/Nothing')).json.code).toBe('ERR_NOT_FOUND')
    expect(errors).toEqual([])
  })

  it('gives addresses with the path that a mount of another framework has taken off', async () => {
    const handler = new Koa().use(restRouter(await createService(), { authenticate, prefix: '' }).routes()).callback()
    const { call } = await start(async (context) => {
      context.respond = false
      const { req, res } = context
      Object.assign(req, { originalUrl: req.url, url: (req.url ?? '').slice('/shop/rest'.length) })
      await handler(req, res)
    })
    const created = await call('POST', '/shop/rest/Thing', { json: { thg_name: 'x' } })
    expect(created.headers.get('location')).toBe('/shop/rest/Thing/1')
    expect((await call('GET', '/shop/rest/Thing?_page=0')).headers.get('link')).toContain('</shop/rest/Thing?_page=0>')
  })

  it.each(['direct', 'koa'] as const)('answers the same bytes either way (%s)', async (respond) => {
    const { call } = await startRouter({ respond })
    await call('POST', '/api/rest/Thing', { json: { thg_name: 'é' } })
    const shape = async (method: string, path: string): Promise<unknown> => {
      const { status, text, headers } = await call(method, path)
      return [
        status,
        text,
        Object.fromEntries([...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))),
      ]
    }
    const nosniff = { 'x-content-type-options': 'nosniff' }
    const type = { 'content-type': 'application/json; charset=utf-8' }
    const body = '{"row_id":"1","thg_name":"é"}'
    const record = {
      ...nosniff,
      ...type,
      'cache-control': 'private, no-cache',
      etag: expect.any(String),
      'content-length': '30',
    }
    expect(await shape('GET', '/api/rest/Thing/1')).toEqual([200, body, record])
    expect(await shape('HEAD', '/api/rest/Thing/1')).toEqual([200, '', record])
    expect(await shape('OPTIONS', '/api/rest/Thing/1')).toEqual([
      204,
      '',
      { ...nosniff, 'cache-control': 'no-store', allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
    ])
    expect(await shape('GET', '/api/rest/Thing')).toEqual([
      200,
      `[${body}]`,
      { ...nosniff, ...type, 'cache-control': 'no-store', 'content-length': '32' },
    ])
    expect(await shape('PATCH', '/api/rest/Thing')).toEqual([
      405,
      '{"error":"PATCH does not work on this address.","status":405,"code":"ERR_METHOD","messages":[]}',
      { ...nosniff, ...type, 'cache-control': 'no-store', 'content-length': '95', allow: 'GET, HEAD, POST, OPTIONS' },
    ])
  })

  it('takes a body that another middleware has parsed', async () => {
    const parser: Middleware = async (context, next) => {
      const chunks = []
      for await (const chunk of context.req) chunks.push(chunk)
      Object.assign(context.request, { body: JSON.parse(Buffer.concat(chunks).toString()) })
      await next()
    }
    const { call } = await start(parser, restRouter(await createService(), { authenticate }).routes())
    expect((await call('POST', '/api/rest/Thing', { json: { thg_name: 'parsed' } })).json.thg_name).toBe('parsed')
  })

  it('says so when another middleware has eaten the body', async () => {
    const eater: Middleware = async (context, next) => {
      for await (const _chunk of context.req);
      await next()
    }
    const { call, errors } = await start(eater, restRouter(await createService(), { authenticate }).routes())
    expect((await call('POST', '/api/rest/Thing', { json: { thg_name: 'x' } })).status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringContaining('ctx.request.body') }])
  })

  it.each([{ level: '2.0' as never }, { prefix: 'rest' }, { bodyLimitBytes: 0 }])(
    'refuses the options %j',
    async (options) => {
      const service = await createService()
      expect(() => restRouter(service, { authenticate, ...options }).routes()).toThrow(TypeError)
    },
  )
})

describe('restRouter() on its base address', () => {
  it('describes the application as it was configured, and of the session that authenticate() found', async () => {
    const app = { name: 'shop', title: 'My shop', version: '1.2', platformVersion: '3.4', server: 'test' }
    const { call } = await startRouter({
      app,
      authenticate: async (context) => {
        context.state['session'] = { id: 'x', authtoken: 't', authtokenexpiry: 1 }
        return ann
      },
    })
    const session = { id: 'x', login: 'ann', userid: 'ann', authtoken: 't', authtokenexpiry: 1 }
    expect((await call('GET', '/api/rest')).json).toEqual({
      name: 'shop',
      title: 'My shop',
      version: '1.2',
      platformversion: '3.4',
      encoding: 'UTF-8',
      server: 'test',
      user: { login: 'ann', userid: 'ann', firstname: '', lastname: '', email: '', lang: '', responsibilities: [] },
      session,
    })
    expect((await call('GET', '/api/rest?session=true')).json).toEqual({ session })
  })
})

describe('restRouter() at a compatibility level', () => {
  it.each([
    ['3.0', '/api/rest/json/Thing', 200],
    ['3.0', '/api/rest/json', 200],
    ['3.0', '/api/rest/Thing', 200],
    ['3.1', '/api/rest/json/Thing', 404],
    ['5.1', '/api/rest/json/Thing', 404],
    ['3.0', '/api/rest/?session=true', 400],
    ['3.1', '/api/rest/?session=true', 200],
    ['3.1', '/api/rest/Thing?_count=true', 400],
    ['3.2', '/api/rest/Thing?_count=true', 200],
    ['3.2', '/api/rest/Thing?_page=0', 400],
    ['4.0', '/api/rest/Thing?_page=0', 200],
    ['5.1', '/api/rest/Thing?_page=0&_count=true', 200],
  ] as const)('%s: GET %s is %i', async (level, path, status) => {
    const { call } = await startRouter({ level })
    const answer = await call('GET', path)
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.json.error).toContain(level)
  })

  it('keeps /json in the addresses that it answers', async () => {
    const { call } = await startRouter({ level: '3.0' })
    const { headers } = await call('POST', '/api/rest/json/Thing', { json: { thg_name: 'x' } })
    expect(headers.get('location')).toMatch(/^\/api\/rest\/json\/Thing\/\d+$/)
  })
})

describe('restRouter() called by a page', () => {
  it.each([
    ['cross-site', {}, 403],
    ['same-site', {}, 403],
    ['cross-site', { 'content-type': 'application/x-www-form-urlencoded' }, 403],
    ['cross-site', { 'content-type': 'text/plain; application/json' }, 403],
    ['cross-site', { authorization: 'Basic eA==' }, 403],
    ['cross-site', { authorization: 'Bearer x' }, 200],
    ['cross-site', { 'content-type': 'application/json' }, 200],
    ['cross-site', { 'x-http-method-override': 'DELETE' }, 200],
    ['same-origin', {}, 200],
    ['none', {}, 200],
  ] as const)('%s: a POST with %j is %i', async (site, headers, status) => {
    const { call } = await startRouter()
    const { row_id: id } = (await call('POST', '/api/rest/Thing', { json: { thg_name: 'x' } })).json
    const fromPage = { 'sec-fetch-site': site }
    const answer = await call('POST', `/api/rest/Thing/${id}?_method=DELETE`, { headers: { ...fromPage, ...headers } })
    expect([answer.status, answer.json.code]).toEqual([status, status === 403 ? 'ERR_ORIGIN' : undefined])
    const left = await call('GET', `/api/rest/Thing/${id}`, { headers: fromPage })
    expect(left.status).toBe(status === 403 ? 200 : 404)
  })
})

describe('restRouter() when something fails inside', () => {
  const failing = (reason: Error): Partial<BusinessObjects> => ({ get: () => Promise.reject(reason) })

  it.each([
    new Error('secret: 42'),
    new TypeError('secret'),
    new RestError('ERR_INTERNAL', 'secret'),
    'secret' as unknown as Error,
    new StoreError('schema', 'secret'),
  ])('answers 500 without details and logs it (%s)', async (error) => {
    const lines: unknown[][] = []
    const log: Log = { error: (...line) => void lines.push(line), warn: (...line) => void lines.push(line) }
    const { call } = await startRouter({ log }, failing(error))
    const { status, text, json } = await call('GET', '/api/rest/Thing/1')
    expect([status, json.code, json.messages]).toEqual([500, 'ERR_INTERNAL', []])
    expect(text).not.toContain('secret')
    const [[details, message] = []] = lines
    expect(lines).toHaveLength(1)
    expect(details).toMatchObject({ err: error, method: 'GET', path: '/api/rest/Thing/1' })
    expect(json.error).toContain((details as { requestId: string }).requestId)
    expect(message).toBe('request failed')
  })

  it('reports to the application when there is no log', async () => {
    const error = new Error('secret')
    const { call, errors } = await startRouter({}, failing(error))
    expect((await call('GET', '/api/rest/Thing/1')).status).toBe(500)
    expect(errors).toEqual([error])
  })

  it.each([
    new RestError('ERR_UNAVAILABLE', 'Later.', { retryAfterSeconds: 7 }),
    new StoreError('unavailable', 'gone'),
  ])('answers 503 with Retry-After when the database is away (%s)', async (error) => {
    const { call } = await startRouter({}, failing(error))
    const { status, headers, json } = await call('GET', '/api/rest/Thing/1')
    expect([status, json.code]).toEqual([503, 'ERR_UNAVAILABLE'])
    expect(headers.get('retry-after')).toBe(RestError.is(error) ? '7' : '2')
  })

  it('logs 503 in short lines, one per second and code, that say how many were left out', async () => {
    const lines: { [name: string]: unknown }[] = []
    const log: Log = {
      error: (details, message) => void lines.push({ details, message }),
      warn: (details, message) => void lines.push({ ...details, message }),
    }
    const away = new StoreError('unavailable', 'connect ECONNREFUSED 127.0.0.1:5432')
    const service = {
      get: () => Promise.reject(new RestError('ERR_UNAVAILABLE', 'The database cannot be reached.', { cause: away })),
      count: () => Promise.reject(new StoreError('busy', 'deadlock')),
    }
    const { call } = await startRouter({ log }, service)
    const fail = async (times: number): Promise<void> => {
      for (let turn = 0; turn < times; turn++)
        expect((await call('GET', '/api/rest/Thing/1?_timestamps=true')).status).toBe(503)
    }
    await fail(4)
    expect((await call('GET', '/api/rest/Thing?_count=true')).status).toBe(503)
    const request = { requestId: expect.stringMatching(/^[\da-f-]{36}$/), method: 'GET', message: 'request not served' }
    expect(lines).toEqual([
      { ...request, path: '/api/rest/Thing/1', code: 'unavailable', reason: away.message },
      { ...request, path: '/api/rest/Thing', code: 'busy', reason: 'deadlock' },
    ])
    const more = { code: 'unavailable', count: 3, message: 'more requests not served' }
    await expect.poll(() => lines.slice(2)).toEqual([more])
    await fail(2)
    await expect.poll(() => lines.slice(3)).toEqual([{ ...more, count: 2 }])
  })

  it('logs what the database said about a value that it refused, and does not answer it', async () => {
    const lines: object[] = []
    const log: Log = { error: () => {}, warn: (details, message) => void lines.push({ ...details, message }) }
    const cause = new StoreError('value', 'new row violates check constraint "qty_check"')
    const refused = RestError.validation([{ code: 'ERR_VALIDATION', field: 'qty', text: 'Too few.' }], cause)
    const { call } = await startRouter({ log }, { create: () => Promise.reject(refused) })
    for (let turn = 0; turn < 2; turn++) {
      const { status, json } = await call('POST', '/api/rest/Thing', { json: {} })
      expect([status, json.messages]).toEqual([400, refused.messages])
    }
    const request = { requestId: expect.any(String) as string, method: 'POST', path: '/api/rest/Thing' }
    const line = { ...request, code: 'value', reason: cause.message, message: 'request refused by the database' }
    expect(lines).toEqual([line])
  })

  it('reports 503 to the application once a second when there is no log', async () => {
    const error = new RestError('ERR_UNAVAILABLE', 'Later.')
    const { call, errors } = await startRouter({}, failing(error))
    for (let turn = 0; turn < 3; turn++) await call('GET', '/api/rest/Thing/1')
    expect(errors).toEqual([error])
  })

  it('a limit for bodies can be given', async () => {
    const { call } = await startRouter({ bodyLimitBytes: 20 })
    expect((await call('POST', '/api/rest/Thing', { json: { thg_name: 'x' } })).status).toBe(200)
    const { status, json } = await call('POST', '/api/rest/Thing', { json: { thg_name: 'xxxxxxxxxxxxxxx' } })
    expect([status, json.error]).toEqual([413, 'The body is larger than 20 bytes.'])
  })
})

describe('restRouter() streaming a search', () => {
  const row = { row_id: '1', thg_name: 'x'.repeat(1000) }
  const search = (batches: () => AsyncGenerator<readonly object[]>): Partial<BusinessObjects> => ({
    search: async () => batches() as never,
  })

  it('reads no further than the client does', async () => {
    let made = 0
    let ended = false
    const { call } = await startRouter(
      {},
      search(async function* () {
        try {
          for (; made < 100_000; made++) yield [row]
        } finally {
          ended = true
        }
      }),
    )
    const connection = await connectTo(server?.port ?? 0)
    connection.socket.pause()
    connection.send('GET /api/rest/Thing HTTP/1.1\r\nHost: x\r\n\r\n')
    await settled(() => made)
    // What the system buffers for a connection, not the 100 MB that are there.
    expect(made).toBeLessThan(30_000)
    expect(ended).toBe(false)
    connection.socket.destroy()
    await expect.poll(() => ended).toBe(true)
    expect(made).toBeLessThan(30_000)
    expect((await call('GET', '/api/rest')).status).toBe(200)
  })

  it('lets others in between, though the store answers at once', async () => {
    const { call } = await startRouter(
      {},
      search(async function* () {
        for (let made = 0; made < 20_000; made++) yield [row]
      }),
    )
    let done = false
    const whole = call('GET', '/api/rest/Thing').then(({ json }) => {
      done = true
      return json.length
    })
    await call('GET', '/api/rest')
    expect(done).toBe(false)
    expect(await whole).toBe(20_000)
  })

  it('answers an error before the first rows with its status', async () => {
    for (const rows of [0, 1]) {
      await server?.close()
      const { call } = await startRouter(
        {},
        search(async function* () {
          for (let made = 0; made < rows; made++) yield [row]
          throw new RestError('ERR_UNAVAILABLE', 'Gone.')
        }),
      )
      expect((await call('GET', '/api/rest/Thing')).status).toBe(503)
    }
  })

  it.each(['application/json', 'application/x-ndjson'])(
    'cuts the connection at a later error, so that no client takes it for the end (%s)',
    async (accept) => {
      const error = new Error('in the middle')
      const { call, errors } = await startRouter(
        {},
        search(async function* () {
          for (let made = 0; made < 500; made++) yield [row]
          throw error
        }),
      )
      await expect(call('GET', '/api/rest/Thing', { headers: { accept } })).rejects.toThrow()
      // Koa reports one error by its stream and by its connection.
      await expect.poll(() => [...new Set(errors)]).toEqual([error])
    },
  )

  it('reports to access logs how much was sent', async () => {
    let context: Context | undefined
    const around: Middleware = (ctx, next) => {
      context = ctx
      return next()
    }
    const stream = search(async function* () {
      for (let made = 0; made < 100; made++) yield [row, row]
    })
    const { call } = await start(
      around,
      restRouter({ ...(await createService()), ...stream }, { authenticate }).routes(),
    )
    const { text } = await call('GET', '/api/rest/Thing')
    expect(context?.state['bytes']).toBe(text.length)
  })
})

/** Waits until a number does not grow any more. */
async function settled(value: () => number): Promise<void> {
  for (let last = -1; value() === 0 || value() !== last;) {
    last = value()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
