import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from './client.js'
import { RestClientError } from './errors.js'
import type { AnyRecord } from './types.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** What the server answers, one by one; and what it was asked. */
let answers: Answer[] = []
let asked: { line: string; headers: IncomingMessage['headers'] }[] = []
const server = createServer((request, response) => {
  asked.push({ line: `${request.method} ${request.url}`, headers: request.headers })
  request.resume()
  const answer = answers.shift() ?? json(500, { error: 'nobody expected this call' })
  answer(request, response)
})
let url = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/rest`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  answers = []
  asked = []
})

function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

const broken: Answer = (_request, response) => void response.destroy()
const busy = (status: number) => json(status, { error: 'busy', code: 'ERR_UNAVAILABLE' }, { 'Retry-After': '0' })
const movies = (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({ url, credentials: { login: 'ann', password: 'sesame' }, ...options }).object('Movie')
const lines = () => asked.map(({ line }) => line)

async function failure(call: Promise<unknown>): Promise<RestClientError> {
  const error: unknown = await call.then(
    () => 'resolved',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(RestClientError)
  return error as RestClientError
}

describe('answers that are no success', () => {
  it('become errors with the code, the status and every message of the service', async () => {
    const messages = [{ code: 'ERR_REQUIRED', field: 'mov_title', text: 'Give a title.' }]
    answers = [json(400, { error: 'Give a title.', status: 400, code: 'ERR_VALIDATION', messages })]
    expect(await failure(movies().create({}))).toMatchObject({
      code: 'ERR_VALIDATION',
      status: 400,
      message: 'Give a title.',
      messages,
    })
  })

  it('without a body of the service are described by their status', async () => {
    answers = [(_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>')]
    expect(await failure(movies().get('1'))).toMatchObject({ code: 'HTTP_502', status: 502, messages: [] })
  })

  it('show no password when the service cannot be reached', async () => {
    const error = await failure(movies({ url: 'http://127.0.0.1:1/api/rest', retries: 0 }).get('1'))
    expect(error).toMatchObject({ code: 'ERR_NETWORK', status: 0 })
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('sesame')
  })

  it.each([
    ['a page of another origin', 'https://shop.example', ', or its `cors` does not list https://shop.example.'],
    ['a page of its own origin', 'http://127.0.0.1:1', '.'],
    ['a program', undefined, '.'],
  ])('without an answer to %s, report what it can be', async (_, origin, end) => {
    vi.stubGlobal('location', origin && { origin })
    const error = await failure(movies({ url: 'http://127.0.0.1:1/api/rest', retries: 0 }).get('1'))
    expect(error.message).toBe(`The service at http://127.0.0.1:1 cannot be reached${end}`)
    vi.unstubAllGlobals()
  })
})

describe('repetitions', () => {
  it('of reads, updates and deletes follow a 503 and a lost connection', async () => {
    answers = [busy(503), broken, json(200, { row_id: '1' })]
    expect(await movies().get('1')).toEqual({ row_id: '1' })
    answers = [busy(503), json(200, { row_id: '1' })]
    await movies().update('1', { mov_title: 'x' })
    answers = [broken, json(200, { row_id: '1' })]
    await movies().delete('1')
    expect(lines()).toEqual([
      ...Array.from({ length: 3 }, () => 'GET /api/rest/Movie/1'),
      ...Array.from({ length: 2 }, () => 'PUT /api/rest/Movie/1'),
      ...Array.from({ length: 2 }, () => 'DELETE /api/rest/Movie/1'),
    ])
  })

  it('of a create need an idempotency key, which stays the same', async () => {
    answers = [busy(503)]
    expect(await failure(movies().create({}))).toMatchObject({ status: 503, retryAfterSeconds: 0 })
    expect(asked).toHaveLength(1)
    answers = [busy(503), broken, json(200, { row_id: '1' })]
    await movies().create({}, { idempotencyKey: true })
    const keys = asked.slice(1).map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/)
  })

  it('of a create follow a 429, which was not run', async () => {
    answers = [busy(429), json(200, { row_id: '1' })]
    expect(await movies().create({})).toEqual({ row_id: '1' })
  })

  it('end after the number that is set', async () => {
    answers = Array.from({ length: 9 }, () => busy(503))
    expect(await failure(movies({ retries: 1 }).get('1'))).toMatchObject({ status: 503 })
    expect(asked).toHaveLength(2)
  })

  it('stop when the call is aborted while it waits', async () => {
    const stop = new AbortController()
    answers = [
      (request, response) => {
        json(503, {}, { 'Retry-After': '3600' })(request, response)
        setTimeout(() => stop.abort(new Error('enough')), 50)
      },
    ]
    await expect(movies().get('1', { signal: stop.signal })).rejects.toThrow('enough')
    expect(asked).toHaveLength(1)
  })

  it('do not send a stream again', async () => {
    answers = [busy(503)]
    const body = new Blob(['content']).stream()
    expect(await failure(movies().upload('1', 'mov_poster', body, { name: 'a.png' }))).toMatchObject({ status: 503 })
    expect(asked).toHaveLength(1)
  })
})

describe('log-in', () => {
  const session = (token: string) => json(200, { authtoken: token, authtokenexpiry: 1, login: 'ann' })
  const authorizations = () => asked.map(({ headers }) => headers.authorization?.split(' ')[0])

  it('changes the password for a token, and a token that has ended for another one', async () => {
    const client = createClient({ url, credentials: { login: 'ann', password: 'sesame' } })
    answers = [session('one'), json(200, {}), json(401, { code: 'ERR_CREDENTIALS' }), json(200, { row_id: '1' })]
    await client.login()
    await client.object('Movie').get('1')
    await client.object('Movie').get('1')
    expect(lines()[0]).toBe('POST /api/login?format=json')
    expect(authorizations()).toEqual(['Basic', 'Bearer', 'Bearer', 'Basic'])
    expect(asked[0]?.headers.authorization).toBe(`Basic ${btoa('ann:sesame')}`)
  })

  it('sends a token of the caller as it is, and fails once when it has ended', async () => {
    answers = [json(401, { error: 'The token has ended.', code: 'ERR_CREDENTIALS' })]
    const error = await failure(movies({ credentials: () => Promise.resolve({ token: 'own' }) }).get('1'))
    expect(error.code).toBe('ERR_CREDENTIALS')
    expect(asked[0]?.headers.authorization).toBe('Bearer own')
  })

  it('ends the token', async () => {
    const client = createClient({ url, credentials: { login: 'ä', password: '' } })
    answers = [session('one'), json(200, { status: 'OK' }), json(200, {})]
    await client.login()
    await client.logout()
    await client.info()
    expect(lines()).toEqual(['POST /api/login?format=json', 'POST /api/logout?format=json', 'GET /api/rest'])
    expect(authorizations()).toEqual(['Basic', 'Bearer', 'Basic'])
    expect(Buffer.from(asked[0]?.headers.authorization?.split(' ')[1] ?? '', 'base64').toString()).toBe('ä:')
  })
})

describe('searches', () => {
  const row = (rowId: string) => `${JSON.stringify({ row_id: rowId })}\n`

  it('give records as they arrive, also when lines are cut anywhere', async () => {
    const text = `${row('1')}{"row_id":"2","mov_title":"Æon"}\n{"row_id":"3"}`
    answers = [
      (_request, response) => {
        for (const byte of Buffer.from(text)) response.write(Buffer.of(byte))
        response.end()
      },
    ]
    const found: AnyRecord[] = []
    for await (const record of movies().search({
      filters: { mov_year: '> 2000', mov_genre: ['a', 'b'] },
      order: ['-mov_year'],
    }))
      found.push(record)
    expect(found).toEqual([{ row_id: '1' }, { row_id: '2', mov_title: 'Æon' }, { row_id: '3' }])
    expect(lines()).toEqual(['GET /api/rest/Movie?mov_year=%3E+2000&mov_genre=a&mov_genre=b&_order=-mov_year'])
    expect(asked[0]?.headers.accept).toBe('application/x-ndjson')
  })

  it('give no record after an abort, also of those that have arrived', async () => {
    const ids = Array.from({ length: 500 }, (_, at) => String(at))
    answers = [(_request, response) => void response.write(ids.map(row).join(''))]
    const controller = new AbortController()
    const given: string[] = []
    const reading = (async () => {
      for await (const { row_id: id } of movies().search({ signal: controller.signal })) {
        given.push(id)
        if (id === '2') controller.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(given).toEqual(['0', '1', '2'])
  })

  it('that are too long for an address are sent in a body, and repeated as others', async () => {
    const filters = { mov_year: `in (${Array.from({ length: 2000 }, (_, at) => at).join()})`, mov_genre: ['a', 'b'] }
    answers = [busy(503), json(200, [], { 'X-Next-Cursor': 'abc' }), json(200, { count: 1 })]
    expect(await movies().page({ filters, pageSize: 10 })).toEqual({ records: [], cursor: 'abc' })
    expect(await movies().count(filters)).toEqual({ count: 1 })
    expect(lines()).toEqual(Array.from({ length: 3 }, () => 'POST /api/rest/Movie/_search'))
  })

  it('end the call when the loop ends', async () => {
    const ended = Promise.withResolvers<void>()
    answers = [
      (_request, response) => {
        response.write(row('1'))
        response.on('close', () => ended.resolve())
      },
    ]
    for await (const record of movies().search()) {
      expect(record).toEqual({ row_id: '1' })
      break
    }
    await ended.promise
  })
})

describe('events', () => {
  it('continue after the last one when a connection is lost', async () => {
    const event = (id: number) => `id: ${id}\ndata: {"object":"Movie","row_id":"${id}","action":"create"}\n\n`
    answers = [
      (_request, response) => {
        response.write(`: hello\n\n${event(7)}`)
        setTimeout(() => response.destroy(), 20)
      },
      (_request, response) => void response.write(event(8)),
    ]
    const ids: string[] = []
    for await (const { id } of createClient({ url }).events({ objects: ['Movie'] })) {
      ids.push(id)
      if (ids.length === 2) break
    }
    expect(ids).toEqual(['7', '8'])
    expect(lines()).toEqual(['GET /api/events?object=Movie', 'GET /api/events?object=Movie'])
    expect(asked[1]?.headers['last-event-id']).toBe('7')
  })
})
