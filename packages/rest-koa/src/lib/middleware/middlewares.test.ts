import { Writable } from 'node:stream'
import { systemPrincipal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import Koa from 'koa'
import type { Context, Middleware } from 'koa'
import pino from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createCaller } from '../testing/caller.js'
import type { CallService } from '../testing/caller.js'
import { connectTo, serve } from '../testing/serve.js'
import type { TestServer } from '../testing/serve.js'
import { accessLog } from './access-log.js'
import type { AccessLogOptions } from './access-log.js'
import { allowOrigins } from './allow-origins.js'
import { cors } from './cors.js'
import { errorResponse } from './error-response.js'
import { requestId } from './request-id.js'
import { securityHeaders } from './security-headers.js'

let server: TestServer | undefined
afterEach(() => server?.close())

async function start(...middlewares: Middleware[]): Promise<CallService> {
  const app = new Koa()
  app.silent = true
  for (const middleware of middlewares) app.use(middleware)
  server = await serve(app)
  return createCaller(server.url, null)
}

const hello: Middleware = (context) => {
  context.body = 'hello'
}

describe('securityHeaders()', () => {
  it('sets careful headers', async () => {
    const call = await start(securityHeaders({ strictTransportSecuritySeconds: 600 }), hello)
    const { headers } = await call('GET', '/')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(headers.get('strict-transport-security')).toBe('max-age=600')
  })

  it('leaves the content policy to others, and https to who has it', async () => {
    const call = await start(securityHeaders({ contentSecurityPolicy: false }), hello)
    const { headers } = await call('GET', '/')
    expect([headers.get('content-security-policy'), headers.get('strict-transport-security')]).toEqual([null, null])
  })
})

describe('requestId()', () => {
  const echo: Middleware = (context) => {
    context.body = context.state['requestId']
  }

  it('generates an id, and trusts no client by default', async () => {
    const call = await start(requestId(), echo)
    const { text, headers } = await call('GET', '/', { headers: { 'x-request-id': 'abc' } })
    expect(text).toMatch(/^[\da-f-]{36}$/)
    expect(headers.get('x-request-id')).toBe(text)
  })

  it.each([
    ['abc-1.2:3/4+5=', true],
    ['a b', false],
    ['"', false],
    ['x'.repeat(129), false],
    ['', false],
  ])('from a trusted proxy %j is kept: %s', async (given, kept) => {
    const call = await start(requestId({ trustProxy: 'loopback' }), echo)
    expect((await call('GET', '/', { headers: { 'x-request-id': given } })).text === given).toBe(kept)
  })
})

describe('allowOrigins()', () => {
  it.each([
    [['127.0.0.0/8'], undefined, '', 200],
    [['127.0.0.1'], undefined, '', 200],
    [['127.0.0.0-127.0.0.9'], undefined, '', 200],
    [['10.0.0.0/8', '::1'], undefined, '', 403],
    [['10.0.0.0/8'], undefined, '10.1.2.3', 403],
    [['10.0.0.0/8'], 'loopback', '10.1.2.3', 200],
    [['10.0.0.0/8'], 'loopback', '::ffff:10.1.2.3', 200],
    [['10.0.0.0/8'], 'loopback', '10.1.2.3, 192.0.2.1', 403],
    [['10.0.0.0/8'], ['loopback', '192.0.2.0/24'], '10.1.2.3, 192.0.2.1', 200],
    [['2001:db8::/32'], 'loopback', '2001:db8:1::5', 200],
    [['2001:db8::/32'], 'loopback', '2001:db9::5', 403],
    [['10.0.0.0/8'], 'loopback', 'unknown', 403],
    [['10.0.0.0/8'], 'loopback', "10.1.2.3'", 403],
    [['0.0.0.0/0'], 'loopback', 'unknown', 403],
  ])('%j with proxies %j for %j is %i', async (ranges, trustProxy, forwarded, status) => {
    const call = await start(allowOrigins(ranges, trustProxy === undefined ? {} : { trustProxy }), hello)
    const answer = await call('GET', '/', { headers: forwarded === '' ? {} : { 'x-forwarded-for': forwarded } })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.json.code).toBe('ERR_ORIGIN')
  })

  it.each([
    [[]],
    [['10.0.0.0/33']],
    [['10.0.0.0/']],
    [['10.0.0/8']],
    [['localhost']],
    [['10.0.0.9-10.0.0.1']],
    [['10.0.0.1-::1']],
    [['']],
  ])('refuses the ranges %j', (ranges) => {
    expect(() => allowOrigins(ranges)).toThrow(TypeError)
  })

  it('refuses proxies that are none', () => {
    expect(() => allowOrigins(['::1'], { trustProxy: 'nonsense' })).toThrow(TypeError)
  })
})

describe('cors()', () => {
  const origin = 'https://app.example.org'
  const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' }

  it('lets pages of the given origins call, and no others', async () => {
    const call = await start(cors({ origins: [origin] }), hello)
    const allowed = await call('GET', '/', { headers: { origin } })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    expect(allowed.headers.get('access-control-expose-headers')).toContain('ETag')
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull()
    expect(allowed.headers.get('vary')).toBe('Origin')
    for (const other of ['https://evil.example', 'null', `${origin}.evil.example`]) {
      const { status, headers } = await call('GET', '/', { headers: { origin: other } })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
    }
  })

  it('answers preflights', async () => {
    const call = await start(cors({ origins: [origin], credentials: true }), hello)
    const { status, headers } = await call('OPTIONS', '/', { headers: { ...preflight, origin } })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST,PUT,DELETE')
    expect(headers.get('access-control-allow-headers')).toBe('authorization')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('access-control-max-age')).toBe('600')
    expect(
      (await call('OPTIONS', '/', { headers: { ...preflight, origin: 'https://evil.example' } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
  })

  it('never allows credentials to everybody', async () => {
    expect(() => cors({ origins: '*', credentials: true })).toThrow(TypeError)
    const call = await start(cors({ origins: '*' }), hello)
    const { headers } = await call('GET', '/', { headers: { origin } })
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([
      '*',
      null,
    ])
  })

  it.each(['example.org', 'https://example.org/', 'https://*.example.org/x', '*', 'null'])(
    'refuses the origin %s',
    (wrong) => {
      expect(() => cors({ origins: [wrong] })).toThrow(TypeError)
    },
  )
})

describe('errorResponse()', () => {
  it.each([
    [() => Promise.reject(new RestError('ERR_RIGHT', 'No.')), 403, 'ERR_RIGHT', /^No\.$/],
    [(context: Context) => context.throw(415, 'Not that.'), 415, 'ERR_MEDIA_TYPE', /^Not that\.$/],
    [(context: Context) => context.throw(500, 'secret'), 500, 'ERR_INTERNAL', /^The request failed inside/],
    [() => Promise.reject(new Error('secret')), 500, 'ERR_INTERNAL', /^The request failed inside/],
    [() => {}, 404, 'ERR_NOT_FOUND', /^Address "\/x" does not exist/],
  ] as [Middleware, number, string, RegExp][])('%s is %i', async (middleware, status, code, error) => {
    const call = await start(errorResponse(), middleware)
    const answer = await call('GET', '/x')
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual({ error: expect.stringMatching(error), status, code, messages: [] })
    expect(answer.text).not.toContain('secret')
  })

  it('leaves answers alone', async () => {
    const call = await start(errorResponse(), hello)
    expect((await call('GET', '/')).text).toBe('hello')
  })
})

describe('accessLog()', () => {
  /** Serves, with a log that is collected as lines. */
  async function startLogged(
    format: AccessLogOptions['format'],
    ...middlewares: Middleware[]
  ): Promise<{ call: CallService; lines: string[] }> {
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(...String(chunk).trimEnd().split('\n'))
        done()
      },
    })
    const log =
      format === 'pino'
        ? accessLog({ format, logger: pino(stream), trustProxy: 'loopback' })
        : accessLog({ format, stream })
    return { call: await start(requestId(), log, ...middlewares), lines }
  }

  const asAnn: Middleware = (context, next) => {
    context.state['principal'] = systemPrincipal({ login: 'ann "x"\n' })
    if (context.path === '/seen') context.state['viewAs'] = 'bob] "'
    return next()
  }

  it('writes a structured line', async () => {
    const { call, lines } = await startLogged('pino', asAnn, hello)
    const { headers } = await call('POST', '/a?b=c', {
      body: 'x',
      headers: { 'user-agent': 'test', referer: 'http://x/?token=t', 'x-forwarded-for': '192.0.2.7' },
    })
    await expect.poll(() => lines.length).toBe(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 30,
      msg: 'request',
      address: '192.0.2.7',
      user: 'ann "x"\n',
      requestId: headers.get('x-request-id'),
      method: 'POST',
      url: '/a?b=c',
      status: 200,
      bytes: 5,
      durationMs: expect.any(Number),
      referrer: 'http://x/?token=***',
      userAgent: 'test',
    })
    expect(lines[0]).not.toContain('aborted')
  })

  it('writes a line in NCSA combined format, in which a client cannot fake another', async () => {
    const { call, lines } = await startLogged('combined', asAnn, hello)
    await call('GET', '/a?b="c"', { headers: { 'user-agent': 'te"st\\', referer: 'http://x/\u00e9' } })
    await call('GET', '/none', { headers: { 'user-agent': '' } })
    await call('GET', '/seen')
    await expect.poll(() => lines.length).toBe(3)
    expect(lines[2]).toContain(String.raw` - ann\x20\"x\"\x0a\x20as\x20bob]\x20\" [`)
    expect(lines[0]).toMatch(
      /^127\.0\.0\.1 - ann\\x20\\"x\\"\\x0a \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/a\?b=%22c%22 HTTP\/1\.1" 200 5 "http:\/\/x\/\\xc3\\xa9" "te\\"st\\\\"$/,
    )
    expect(lines[1]).toMatch(/ "-" "-"$/)
  })

  it('writes no credentials and no secrets of addresses', async () => {
    for (const format of ['pino', 'combined'] as const) {
      await server?.close()
      const { call, lines } = await startLogged(format, hello)
      await call('GET', '/x?usr_password=hunter2&access_token=hunter2&p%61ssword=hunter2&API-KEY=hunter2&a=1&sign=ok', {
        headers: {
          authorization: 'Bearer hunter2',
          'x-steward-authorization': 'hunter2',
          cookie: 'a=hunter2',
          referer: 'http://u:hunter2@x/?secret=hunter2',
        },
      })
      await expect.poll(() => lines.length).toBe(1)
      expect(lines[0]).not.toContain('hunter2')
      expect(lines[0]).toContain('usr_password=***')
      expect(lines[0]).toContain('a=1&sign=ok')
    }
  })

  it('logs requests that were broken off', async () => {
    const asked = Promise.withResolvers<void>()
    const { lines } = await startLogged('pino', () => {
      asked.resolve()
      return new Promise(() => {})
    })
    const connection = await connectTo(server?.port ?? 0)
    connection.send('GET /never HTTP/1.1\r\nHost: x\r\n\r\n')
    await asked.promise
    connection.socket.destroy()
    await expect.poll(() => lines.length).toBe(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ url: '/never', aborted: true })
  })
})
