import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import type { Suite } from './suite.js'

/** What clients send by mistake or on purpose: always the right status, never 500, nothing kept. */
export function testBadInput(suite: Suite): void {
  let id: string

  beforeAll(async () => {
    id = (await suite.call('POST', '/Movie', { json: { mov_title: 'Good', mov_year: 1980 } })).json.row_id
  })

  describe('bodies', () => {
    it.each([
      ['truncated', '{"mov_title":"Half', /truncated JSON: it ends at line 1, column 19/],
      ['truncated later', '{"mov_title":"s3cret",\n"mov_year":', /truncated JSON: it ends at line 2, column 12/],
      ['malformed', '{"mov_title":"s3cret" "x":1}', /not valid JSON: see line 1, column 23/],
      ['single quotes', "{'mov_title':'s3cret'}", /line 1, column 2\b/],
      ['a comma too much', '{"mov_title":"s3cret",}', /line 1, column 23/],
      ['a second value', '{"mov_title":"s3cret"}{}', /line 1, column 23/],
      ['NaN', '{"mov_year":NaN}', /line 1, column 13/],
      ['a control character', '{"mov_title":"a\u0001"}', /line 1, column 16/],
      ['blanks', ' \n', /empty/],
      ['an array', '[{"mov_title":"x"}]', /JSON object/],
      ['a text', '"mov_title"', /JSON object/],
      ['a number', '1', /JSON object/],
      ['null', 'null', /JSON object/],
      ['deep nesting', `{"mov_data":${'['.repeat(200_000)}`, /nested deeper than 100/],
      ['deep nesting, whole', `{"mov_data":${'['.repeat(150)}${']'.repeat(150)}}`, /nested deeper than 100/],
    ])('%s is refused with its place, without an echo', async (_, body, message) => {
      const options = { headers: { 'content-type': 'application/json' } }
      for (const [method, path] of [
        ['POST', '/Movie'],
        ['PUT', `/Movie/${id}`],
      ] as const) {
        const answer = await suite.call(method, path, { ...options, body })
        expect([answer.status, answer.json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
        expect(answer.json.error).toMatch(message)
        expect(answer.text).not.toContain('s3cret')
      }
    })

    it('bytes that are not UTF-8 are refused', async () => {
      const body = new Uint8Array(
        Buffer.concat([Buffer.from('{"mov_title":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      )
      const { status, json } = await suite.call('POST', '/Movie', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect([status, json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
    })

    it('a byte order mark is skipped', async () => {
      const body = '\ufeff{"mov_title":"With mark"}'
      expect(
        (await suite.call('POST', '/Movie', { body, headers: { 'content-type': 'application/json' } })).json.mov_title,
      ).toBe('With mark')
    })

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/merge-patch+json',
      'application/json; charset=latin1',
      'multipart/form-data; boundary=x',
    ])('of type %s are refused', async (type) => {
      const { status, json } = await suite.call('POST', '/Movie', {
        body: '{"mov_title":"x"}',
        headers: { 'content-type': type },
      })
      expect([status, json.code]).toEqual([415, 'ERR_MEDIA_TYPE'])
    })

    it('without a type are refused', async () => {
      const body = new Blob(['{"mov_title":"x"}'])
      expect((await suite.call('POST', '/Movie', { body })).status).toBe(415)
    })

    it('that are compressed are refused', async () => {
      const { status } = await suite.call('POST', '/Movie', {
        body: 'x',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      })
      expect(status).toBe(415)
    })

    it.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json; profile=x'])(
      'of type %s are taken',
      async (type) => {
        const { status } = await suite.call('PUT', `/Movie/${id}`, {
          body: '{"mov_year":1981}',
          headers: { 'content-type': type },
        })
        expect(status).toBe(200)
      },
    )

    it('with __proto__, constructor and twice the same key do no harm', async () => {
      const refused = await suite.call('POST', '/Movie', {
        body: '{"mov_title":"Proto","__proto__":{"admin":true},"constructor":1,"toString":2}',
        headers: { 'content-type': 'application/json' },
      })
      expect(refused.status).toBe(400)
      expect(refused.json.messages.map(({ field }: { field: string }) => field).toSorted()).toEqual([
        '__proto__',
        'constructor',
        'toString',
      ])
      const twice = await suite.call('PUT', `/Movie/${id}`, {
        body: '{"mov_year":1981,"mov_year":1982}',
        headers: { 'content-type': 'application/json' },
      })
      expect(twice.json.mov_year).toBe(1982)
      const inside = await suite.call('PUT', `/Movie/${id}`, {
        body: '{"mov_data":{"__proto__":{"admin":true}}}',
        headers: { 'content-type': 'application/json' },
      })
      expect(inside.text).toContain('"mov_data":{"__proto__":{"admin":true}}')
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
    })

    it('of 100 MB are refused early, and the server keeps running', async () => {
      let sent = 0
      const body = new ReadableStream({
        async pull(controller) {
          if (sent >= 100e6) return controller.close()
          sent += 1e6
          controller.enqueue(new Uint8Array(1e6).fill(0x20))
          await new Promise((resolve) => setTimeout(resolve, 1))
        },
      })
      const answer = await suite
        .call('POST', '/Movie', { body, headers: { 'content-type': 'application/json' } })
        .catch((error: unknown) => error as Error)
      // A client that only reads when it has sent all may see the end of the connection in place of the answer.
      if (!(answer instanceof Error)) expect([answer.status, answer.json.code]).toEqual([413, 'ERR_TOO_LARGE'])
      expect((await suite.call('GET', `/Movie/${id}`)).status).toBe(200)
    })
  })

  describe('numbers', () => {
    it.each([
      ['mov_big', '9007199254740993', '9007199254740993'],
      ['mov_big', '-999999999999999999', '-999999999999999999'],
      ['mov_big', '"9007199254740993"', '9007199254740993'],
      ['mov_big', '9007199254740991', 9007199254740991],
      ['mov_gross', '123456789012345678901234567890.1234', '123456789012345678901234567890.1234'],
      ['mov_gross', '0.1', 0.1],
      ['mov_gross', '1.50', 1.5],
      ['mov_year', '2.001e3', 2001],
    ])('%s = %s arrives without loss', async (field, text, expected) => {
      const {
        status,
        json,
        text: answer,
      } = await suite.call('PUT', `/Movie/${id}`, {
        body: `{"${field}":${text}}`,
        headers: { 'content-type': 'application/json' },
      })
      expect(status, answer).toBe(200)
      expect(json[field]).toBe(expected)
    })

    it.each([
      ['mov_big', '1e400'],
      ['mov_big', '9223372036854775808'],
      ['mov_year', '1e308'],
      ['mov_year', '9007199254740993'],
      ['mov_year', '1980.5'],
      ['mov_gross', '1e400'],
      ['mov_gross', '1e-400'],
      ['mov_gross', '0.00001'],
    ])('%s = %s is refused', async (field, text) => {
      const { status, json } = await suite.call('PUT', `/Movie/${id}`, {
        body: `{"${field}":${text}}`,
        headers: { 'content-type': 'application/json' },
      })
      expect([status, json.messages?.[0].field]).toEqual([400, field])
    })
  })

  it.each(['"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '["a"]', '{}'])('a title of %s is refused', async (title) => {
    const { status, json } = await suite.call('POST', '/Movie', {
      body: `{"mov_title":${title}}`,
      headers: { 'content-type': 'application/json' },
    })
    expect([status, json.code]).toEqual([400, 'ERR_VALIDATION'])
  })

  describe('addresses', () => {
    it.each([
      '/Nope',
      '/Nope/1',
      '/movie',
      '/__proto__',
      '/constructor/1',
      '/Movie%20',
      '/%00',
      '/Movie/1/2',
      '//',
      '//Movie',
      '/Movie//1',
    ])('GET %s is 404', async (path) => {
      const { status, json } = await suite.call('GET', path)
      expect([status, json.code]).toEqual([404, 'ERR_NOT_FOUND'])
    })

    it.each([
      'abc',
      '-1',
      '1.5',
      '1e3',
      '9223372036854775808',
      '99999999999999999999999',
      "1'",
      '1%20or%201=1',
      '%00',
      'null',
      '١',
      '0x1',
    ])('row id %s is 404 on get, update and delete', async (row) => {
      const statuses = []
      for (const [method, json] of [
        ['GET', undefined],
        ['PUT', { mov_year: 1980 }],
        ['DELETE', undefined],
      ] as const) {
        statuses.push(
          (await suite.call(method, `/Movie/${encodeURI(decodeURIComponent(row)).replaceAll('%25', '%')}`, { json }))
            .status,
        )
      }
      expect(statuses).toEqual([404, 404, 404])
    })

    it.each([
      '/%',
      '/Movie/%E0%A4',
      '/Movie?mov_title=%zz',
      '/Movie?%ff=1',
      '/Movie/%ED%A0%80',
      '/Movie?mov_title=%C0%80',
    ])('%s is 400, it is not percent-encoded', async (path) => {
      const { status, json } = await suite.call('GET', path)
      expect([status, json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
    })

    it.each([
      '_nope=1',
      '_=1',
      '__proto__=1',
      '_method=PUT',
      '_count=maybe',
      '_order=',
      '_order=mov_nope',
      '_order=mov_data',
      '_fields=',
      '_fields=mov_nope',
      'order__mov_title=x',
      'order__mov_title=0',
      'order__nope=1',
      '_timestamps=x',
      '_inline_documents=mov_nope',
      '_inline_documents=mov_title',
      '_inline_thumbnails=mov_title',
    ])('GET /Movie?%s is 400 and names it', async (query) => {
      const { status, json } = await suite.call('GET', `/Movie?${query}`)
      expect(status).toBe(400)
      const [name = '', value = ''] = query.split('=')
      const named = value.startsWith('mov_') ? value : name.replace('order__nope', 'nope')
      expect(json.error).toContain(named)
    })

    it.each([
      'mov_nope=1',
      'constructor=1',
      'mov_year=old',
      'mov_date=yesterday',
      'mov_secret=x',
      'nmin__mov_nope=1',
      'mov_title=a%00b',
      'mov_data=x',
      'mov_year=in%20(',
      '=1',
    ])('GET /Movie?%s is 400', async (query) => {
      const { status, json } = await suite.call('GET', `/Movie?${query}`)
      expect([status, json.status, json.error]).toEqual([400, 400, expect.any(String)])
    })

    it.each([
      ['GET', '_count=true'],
      ['GET', 'mov_year=1'],
      ['GET', '_page=1'],
      ['PUT', '_page=1'],
      ['DELETE', '_fields=mov_year'],
      ['DELETE', 'x=1'],
      ['GET', 'session=true'],
    ])('%s of a record with ?%s is 400', async (method, query) => {
      expect(
        (await suite.call(method, `/Movie/${id}?${query}`, { json: method === 'PUT' ? {} : undefined })).status,
      ).toBe(400)
    })

    it('10,000 filter terms and parameters are refused', async () => {
      const parameters = Array.from({ length: 10_000 }, (_, n) => `mov_year=${n}`).join('&')
      const expression = `mov_title=${Array.from({ length: 10_000 }, () => '=%201').join('%20or%20')}`
      for (const query of [parameters, expression]) {
        const { status, json } = await suite.call('GET', `/Movie?${query}`)
        expect([status, json.status]).toEqual([400, 400])
      }
    })

    it('an address beyond all measure is refused', async () => {
      expect((await suite.call('GET', `/Movie?mov_title=${'x'.repeat(300_000)}`)).status).toBe(431)
    })

    it('long filter texts work', async () => {
      const { status, json } = await suite.call('GET', `/Movie?_page=0&mov_title=${'x'.repeat(20_000)}`)
      expect([status, json]).toEqual([200, []])
    })
  })

  describe('methods', () => {
    it.each([
      ['PUT', '/Movie', 'GET, HEAD, POST, OPTIONS'],
      ['DELETE', '/Movie/', 'GET, HEAD, POST, OPTIONS'],
      ['DELETE', '/Movie/0', 'GET, HEAD, POST, OPTIONS'],
      ['POST', '/Movie/_?_method=DELETE', 'GET, HEAD, POST, OPTIONS'],
      ['PATCH', '/Movie/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
      ['POST', '/Movie/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
      ['POST', '', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/', 'GET, HEAD, OPTIONS'],
    ])('%s %s is 405 and says what works', async (method, path, allow) => {
      const { status, json, headers } = await suite.call(method, path)
      expect([status, json.code, headers.get('allow')]).toEqual([405, 'ERR_METHOD', allow])
    })

    it.each([
      ['/Movie/1?_method=GET', {}],
      ['/Movie/1?_method=TRACE', {}],
      ['/Movie/1', { 'x-http-method-override': 'PATCH' }],
    ])('POST %s %j cannot stand for it', async (path, headers) => {
      expect((await suite.call('POST', path, { headers })).status).toBe(400)
    })

    it('an override header on anything but POST is ignored', async () => {
      expect(
        (await suite.call('GET', `/Movie/${id}`, { headers: { 'x-http-method-override': 'DELETE' } })).status,
      ).toBe(200)
      expect((await suite.call('GET', `/Movie/${id}`)).status).toBe(200)
    })

    it('OPTIONS answers the allowed methods, without credentials', async () => {
      const { status, headers, text } = await suite.call('OPTIONS', '/Movie/1', { user: null })
      expect([status, headers.get('allow'), text]).toEqual([204, 'GET, HEAD, PUT, DELETE, OPTIONS', ''])
    })
  })

  it('whatever is asked, the answer is never 500 and always has its form', async () => {
    const text = fc.oneof(
      fc.constantFrom(
        '1',
        '0',
        '',
        'true',
        "' or 1=1 --",
        '%',
        '*',
        '\\',
        ';',
        '1;2',
        '= 1',
        'is null',
        'in (1,2)',
        '[DATE:-1d]',
        '\0',
        '9'.repeat(30),
        '-1',
      ),
      fc.string({ unit: anyCharacter, maxLength: 12 }),
    )
    const name = fc.oneof(
      fc.constantFrom(
        'mov_title',
        'mov_year',
        'mov_gross',
        'mov_date',
        'mov_tags',
        'mov_data',
        'mov_genre_id',
        'mov_genre_id__gen_code',
        'row_id',
        'created_dt',
        'nmin__mov_year',
      ),
      fc.constantFrom(
        '_page',
        '_pagesize',
        '_count',
        '_order',
        '_fields',
        '_timestamps',
        '_inline_documents',
        '_inline_thumbnails',
        '_method',
        'order__mov_year',
        'session',
      ),
      text,
    )
    const path = fc.array(fc.oneof(fc.constantFrom('Movie', 'Genre', '1', '_', ''), text), { maxLength: 3 })
    const body = fc.option(
      fc.oneof(fc.dictionary(name, fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))), fc.jsonValue()),
      { nil: undefined },
    )
    const method = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD')
    await fc.assert(
      fc.asyncProperty(
        method,
        path,
        fc.array(fc.tuple(name, text), { maxLength: 4 }),
        body,
        async (method, path, pairs, json) => {
          const query = pairs.map((pair) => pair.map(encode).join('=')).join('&')
          const hasBody = method === 'POST' || method === 'PUT'
          const answer = await suite.call(method, `/${path.map(encode).join('/')}?${query}`, hasBody ? { json } : {})
          expect([200, 400, 403, 404, 405, 409]).toContain(answer.status)
          if (answer.status === 200 || method === 'HEAD') return
          expect(answer.json).toEqual({
            error: expect.any(String),
            status: answer.status,
            code: expect.stringMatching(/^ERR_/),
            messages: expect.any(Array),
          })
        },
      ),
      { numRuns: process.env['TEST_DEEP'] === '1' ? 3_000 : 100 },
    )
  })
}

/** Percent-encodes whatever the text, but for halves of surrogate pairs, and for dots, since clients resolve `..`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('.', '')
}
