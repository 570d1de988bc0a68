import { beforeAll, describe, expect, it } from 'vitest'
import type { Suite } from './suite.js'

/** Create, get, update, delete, conditions, rights. */
export function testRecords(suite: Suite): void {
  let genre: string
  let number = 0

  beforeAll(async () => {
    genre = (await suite.call('POST', '/Genre', { json: { gen_code: 'SF', gen_name: 'Science fiction' } })).json.row_id
  })

  async function create(values: object = {}): Promise<{ row_id: string; mov_title: string }> {
    const { status, json, text } = await suite.call('POST', '/Movie', {
      json: { mov_title: `Movie ${++number}`, ...values },
    })
    expect(status, text).toBe(200)
    return json
  }

  describe('create', () => {
    it.each(['', '/', '/0', '/_'])(
      'POST /Movie%s creates a record and answers it whole, with its place',
      async (end) => {
        const { status, json, headers } = await suite.call('POST', `/Movie${end}`, {
          json: {
            mov_title: `Solaris${end}`,
            mov_year: 1972,
            mov_seen: '1',
            mov_tags: ['red'],
            mov_genre_id: genre,
            mov_data: { a: [1] },
          },
        })
        expect(status).toBe(200)
        expect(json).toEqual({
          row_id: expect.stringMatching(/^\d+$/),
          mov_title: `Solaris${end}`,
          mov_year: 1972,
          mov_big: null,
          mov_gross: null,
          mov_seen: true,
          mov_date: '',
          mov_kind: '',
          mov_tags: ['red'],
          mov_data: { a: [1] },
          mov_genre_id: genre,
          mov_genre_id__gen_code: 'SF',
          mov_genre_id__gen_name: 'Science fiction',
        })
        expect(headers.get('location')).toBe(`/api/rest/Movie/${json.row_id}`)
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        const again = await suite.call('GET', `/Movie/${json.row_id}`)
        expect(again.json).toEqual(json)
        expect(again.headers.get('etag')).toBe(headers.get('etag'))
      },
    )

    it('answers all mistakes at once, each with its code and field', async () => {
      const { status, json } = await suite.call('POST', '/Movie', {
        json: { mov_year: 'old', mov_kind: 'x', mov_nope: 1 },
      })
      expect(status).toBe(400)
      expect(json).toMatchObject({ status: 400, code: 'ERR_VALIDATION', error: expect.any(String) })
      const codes = json.messages.map(({ code, field }: { code: string; field: string }) => `${field} ${code}`)
      expect(codes.toSorted()).toEqual([
        'mov_kind ERR_ENUM',
        'mov_nope ERR_UNKNOWN_FIELD',
        'mov_title ERR_REQUIRED',
        'mov_year ERR_TYPE',
      ])
    })

    it('without a body is as with an empty object', async () => {
      const { status, json } = await suite.call('POST', '/Movie')
      expect([status, json.messages[0].code]).toEqual([400, 'ERR_REQUIRED'])
    })

    it('refuses a second record with the same functional key', async () => {
      const { mov_title } = await create()
      const { status, json } = await suite.call('POST', '/Movie', { json: { mov_title } })
      expect([status, json.code, json.messages[0].code]).toEqual([409, 'ERR_CONFLICT', 'ERR_USERKEY'])
    })

    it('lets exactly one of many at once have a functional key', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => suite.call('POST', '/Movie', { json: { mov_title: 'The one' } })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
    })

    it('ignores joined fields and the row id', async () => {
      const record = await create({ row_id: '77777777', mov_genre_id__gen_name: 'other' })
      expect(record.row_id).not.toBe('77777777')
    })

    it('takes back the path of a linked field that _fields answered, and refuses one that is not there', async () => {
      const { row_id } = await create()
      const { json } = await suite.call('GET', `/Movie/${row_id}?_fields=mov_title,mov_genre_id__gen_code`)
      expect(json).toHaveProperty('mov_genre_id__gen_code')
      expect((await suite.call('PUT', `/Movie/${row_id}`, { json })).status).toBe(200)
      const other = { ...json, mov_genre_id__gen_nothing: '' }
      expect((await suite.call('PUT', `/Movie/${row_id}`, { json: other })).status).toBe(400)
    })

    it('takes only the fields asked for into the answer', async () => {
      const { json } = await suite.call('POST', '/Movie?_fields=mov_year&_timestamps=true', {
        json: { mov_title: 'Stalker', mov_year: 1979 },
      })
      expect(Object.keys(json)).toEqual(['row_id', 'mov_year', 'created_dt', 'created_by', 'updated_dt', 'updated_by'])
      expect(json).toMatchObject({ mov_year: 1979, created_by: 'ann' })
    })

    it('never answers a password', async () => {
      const { row_id } = await create({ mov_secret: 'hunter2' })
      expect((await suite.call('GET', `/Movie/${row_id}`)).text).not.toMatch(/mov_secret|hunter2|scrypt/)
      expect((await suite.call('GET', `/Movie/${row_id}?_fields=mov_secret`)).status).toBe(400)
    })
  })

  describe('get', () => {
    it('answers HEAD with the same headers and no body', async () => {
      const { row_id } = await create()
      const got = await suite.call('GET', `/Movie/${row_id}`)
      const head = await suite.call('HEAD', `/Movie/${row_id}`)
      expect([head.status, head.text]).toEqual([200, ''])
      for (const name of ['etag', 'content-length', 'content-type'])
        expect(head.headers.get(name)).toBe(got.headers.get(name))
      expect(got.headers.get('content-length')).toBe(`${Buffer.byteLength(got.text)}`)
    })

    it('answers 304 while the record is as the client knows it', async () => {
      const { row_id } = await create()
      const tag = (await suite.call('GET', `/Movie/${row_id}`)).headers.get('etag') as string
      expect(tag).toMatch(/^"[\w-]+"$/)
      for (const value of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const { status, text, headers } = await suite.call('GET', `/Movie/${row_id}`, {
          headers: { 'if-none-match': value },
        })
        expect([status, text, headers.get('etag')]).toEqual([304, '', tag])
      }
      await suite.call('PUT', `/Movie/${row_id}`, { json: { mov_year: 1999 } })
      const { status, json } = await suite.call('GET', `/Movie/${row_id}`, { headers: { 'if-none-match': tag } })
      expect([status, json.mov_year]).toEqual([200, 1999])
    })

    it('ignores one slash at the end', async () => {
      const { row_id } = await create()
      expect((await suite.call('GET', `/Movie/${row_id}/`)).json.row_id).toBe(row_id)
    })
  })

  describe('update', () => {
    it.each([
      ['PUT', '', {}],
      ['POST', '?_method=PUT', {}],
      ['POST', '?_method=put', {}],
      ['POST', '', { 'x-http-method-override': 'PUT' }],
    ])('%s%s %j changes the given fields only', async (method, query, headers) => {
      const { row_id, mov_title } = await create({ mov_year: 1980 })
      const { status, json } = await suite.call(method, `/Movie/${row_id}${query}`, {
        json: { mov_kind: 'short' },
        headers,
      })
      expect(status).toBe(200)
      expect(json).toMatchObject({ row_id, mov_title, mov_year: 1980, mov_kind: 'short' })
      expect((await suite.call('GET', `/Movie/${row_id}`)).json).toEqual(json)
    })

    it('takes back what a get answered', async () => {
      const { row_id } = await create({
        mov_year: 1980,
        mov_genre_id: genre,
        mov_tags: ['green', 'blue'],
        mov_gross: '12345678901234567890.5',
      })
      const { json } = await suite.call('GET', `/Movie/${row_id}`)
      expect((await suite.call('PUT', `/Movie/${row_id}`, { json })).json).toEqual(json)
    })

    it('with If-Match works only on the record that the client knows', async () => {
      const { row_id } = await create()
      const tag = (await suite.call('GET', `/Movie/${row_id}`)).headers.get('etag') as string
      const first = await suite.call('PUT', `/Movie/${row_id}`, {
        json: { mov_year: 1981 },
        headers: { 'if-match': `"x", ${tag}` },
      })
      expect(first.status).toBe(200)
      const second = await suite.call('PUT', `/Movie/${row_id}`, {
        json: { mov_year: 1982 },
        headers: { 'if-match': tag },
      })
      expect([second.status, second.json.code]).toEqual([412, 'ERR_PRECONDITION'])
      const newTag = first.headers.get('etag') as string
      expect(
        (
          await suite.call('PUT', `/Movie/${row_id}`, {
            json: { mov_year: 1983 },
            headers: { 'if-match': `W/${newTag}` },
          })
        ).status,
      ).toBe(412)
      expect(
        (await suite.call('PUT', `/Movie/${row_id}`, { json: { mov_year: 1984 }, headers: { 'if-match': newTag } }))
          .json.mov_year,
      ).toBe(1984)
      expect(
        (await suite.call('PUT', `/Movie/${row_id}`, { json: { mov_year: 1985 }, headers: { 'if-match': '*' } })).json
          .mov_year,
      ).toBe(1985)
    })

    it('lets exactly one of many at once with the same If-Match through', async () => {
      const { row_id } = await create()
      const tag = (await suite.call('GET', `/Movie/${row_id}`)).headers.get('etag') as string
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          suite.call('PUT', `/Movie/${row_id}`, { json: { mov_year: 1990 + n }, headers: { 'if-match': tag } }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412, 412])
    })

    it('of a record that is gone is 404', async () => {
      const { row_id } = await create()
      await suite.call('DELETE', `/Movie/${row_id}`)
      expect((await suite.call('PUT', `/Movie/${row_id}`, { json: { mov_year: 1980 } })).status).toBe(404)
    })
  })

  describe('delete', () => {
    it.each([
      ['DELETE', '', {}],
      ['POST', '?_method=DELETE', {}],
      ['POST', '', { 'x-http-method-override': 'delete' }],
    ])('%s%s %j answers the row id, and the record is gone', async (method, query, headers) => {
      const { row_id } = await create()
      const { status, json } = await suite.call(method, `/Movie/${row_id}${query}`, { headers })
      expect([status, json]).toEqual([200, { row_id }])
      const gone = await suite.call('GET', `/Movie/${row_id}`)
      expect([gone.status, gone.json.code]).toEqual([404, 'ERR_NOT_FOUND'])
      expect((await suite.call(method, `/Movie/${row_id}${query}`, { headers })).status).toBe(404)
    })

    it('with If-Match works only on the record that the client knows', async () => {
      const { row_id } = await create()
      const tag = (await suite.call('GET', `/Movie/${row_id}`)).headers.get('etag') as string
      expect((await suite.call('DELETE', `/Movie/${row_id}`, { headers: { 'if-match': '"other"' } })).status).toBe(412)
      expect((await suite.call('DELETE', `/Movie/${row_id}`, { headers: { 'if-match': tag } })).status).toBe(200)
    })

    it('of a record that others refer to is 409', async () => {
      const { json } = await suite.call('POST', '/Genre', { json: { gen_code: 'USED' } })
      await create({ mov_genre_id: json.row_id })
      const answer = await suite.call('DELETE', `/Genre/${json.row_id}`)
      expect([answer.status, answer.json.messages[0].code]).toEqual([409, 'ERR_REFERENCE'])
    })
  })

  describe('rights', () => {
    it('without credentials is 401 with a challenge', async () => {
      const { status, json, headers } = await suite.call('GET', '/Movie', { user: null })
      expect([status, json.code]).toEqual([401, 'ERR_CREDENTIALS'])
      expect(headers.get('www-authenticate')).toMatch(/^Basic realm=/)
    })

    it('a user who may only read neither creates, changes nor deletes', async () => {
      const { row_id } = await create({ mov_gross: 5 })
      const read = await suite.call('GET', `/Movie/${row_id}`, { user: 'rob' })
      expect(read.status).toBe(200)
      expect(read.json).not.toHaveProperty('mov_gross')
      for (const [method, path, json] of [
        ['POST', '/Movie', { mov_title: 'No' }],
        ['PUT', `/Movie/${row_id}`, { mov_year: 1980 }],
        ['DELETE', `/Movie/${row_id}`, undefined],
      ] as const) {
        const answer = await suite.call(method, path, { json, user: 'rob' })
        expect([answer.status, answer.json.code]).toEqual([403, 'ERR_RIGHT'])
      }
      expect((await suite.call('GET', '/Genre', { user: 'rob' })).status).toBe(403)
      expect((await suite.call('GET', '/Movie?mov_gross=5', { user: 'rob' })).status).toBe(400)
      expect((await suite.call('GET', `/Movie/${row_id}`, { user: 'nil' })).status).toBe(403)
    })
  })

  describe('application info', () => {
    it.each(['', '/'])('GET "%s" describes application, user and session', async (path) => {
      const { status, json } = await suite.call('GET', path)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        name: 'application',
        title: 'application',
        encoding: 'UTF-8',
        user: {
          login: 'ann',
          userid: '1',
          firstname: 'Ann',
          lastname: '',
          email: '',
          lang: 'en',
          responsibilities: ['ADMIN'],
        },
        session: { id: expect.stringMatching(/./), login: 'ann', userid: '1' },
      })
      expect(Object.keys(json)).toEqual(expect.arrayContaining(['version', 'platformversion', 'server']))
    })

    it('with session=true describes the session only', async () => {
      const { json } = await suite.call('GET', '/?session=true')
      expect(Object.keys(json)).toEqual(['session'])
    })
  })
}
