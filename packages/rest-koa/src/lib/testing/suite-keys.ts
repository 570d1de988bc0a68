import { describe, expect, it } from 'vitest'
import type { Suite } from './suite.js'

/** Records by their functional key, and upsert. */
export function testKeys(suite: Suite): void {
  async function create(ast_site: string, ast_number: number): Promise<string> {
    const { json, status, text } = await suite.call('POST', '/Asset', { json: { ast_site, ast_number } })
    expect(status, text).toBe(200)
    return json.row_id
  }

  describe('get', () => {
    it.each([
      ['plain', 'plain'],
      ['with, a comma', 'with%2C%20a%20comma'],
      ['é/ü?#%', '%C3%A9%2F%C3%BC%3F%23%25'],
    ])('finds "%s" by /_key/%s', async (site, encoded) => {
      const id = await create(site, 7)
      const { status, json, headers } = await suite.call('GET', `/Asset/_key/${encoded},7`)
      expect([status, json.row_id, json.ast_site]).toEqual([200, id, site])
      expect(headers.get('etag')).toBe((await suite.call('GET', `/Asset/${id}`)).headers.get('etag'))
    })

    it.each([
      ['/Asset/_key/nowhere,1', 404, /ast_site "nowhere", ast_number "1"/],
      ['/Asset/_key/plain,x', 404, /does not exist/],
      ['/Asset/_key/plain,', 404, /does not exist/],
      ['/Asset/_key/plain', 400, /takes 2 values \(ast_site, ast_number\), not 1/],
      ['/Asset/_key/a,b,3', 400, /not 3; a "," inside a value is written %2C/],
      ['/Nope/_key/a', 404, /Nope/],
    ])('GET %s is %i', async (path, status, text) => {
      const answer = await suite.call('GET', path)
      expect([answer.status, answer.json.error]).toEqual([status, expect.stringMatching(text)])
    })

    it('follows the rights of the user', async () => {
      await create('rights', 1)
      expect((await suite.call('GET', '/Asset/_key/rights,1', { user: 'rob' })).status).toBe(403)
    })
  })

  it('DELETE deletes', async () => {
    const id = await create('gone', 1)
    const { status, json } = await suite.call('DELETE', '/Asset/_key/gone,1')
    expect([status, json]).toEqual([200, { row_id: id }])
    expect((await suite.call('DELETE', '/Asset/_key/gone,1')).status).toBe(404)
  })

  describe('PUT', () => {
    it('creates the record with the key of the address, and updates it from then on', async () => {
      const first = await suite.call('PUT', '/Asset/_key/put,1', { json: { ast_count: 1 } })
      expect([first.status, first.json]).toMatchObject([200, { ast_site: 'put', ast_number: 1, ast_count: 1 }])
      expect(first.headers.get('location')).toBe(`/api/rest/Asset/${first.json.row_id}`)
      const second = await suite.call('PUT', '/Asset/_key/put,1', {
        json: { ast_note: 'x', ast_site: 'put', ast_number: '1' },
      })
      expect(second.json).toEqual({ ...first.json, ast_note: 'x' })
      expect(second.headers.get('location')).toBeNull()
      expect(second.headers.get('etag')).toBe((await suite.call('GET', '/Asset/_key/put,1')).headers.get('etag'))
      const third = await suite.call('POST', '/Asset/_key/put,1?_method=PUT&_fields=ast_count', {
        json: { ast_count: 3 },
      })
      expect(third.json).toEqual({ row_id: first.json.row_id, ast_count: 3 })
    })

    it('refuses values that name another key, and reports all mistakes', async () => {
      const other = await suite.call('PUT', '/Asset/_key/put,2', { json: { ast_site: 'else', ast_number: 3 } })
      expect([other.status, other.json.messages.map(({ field }: { field: string }) => field)]).toEqual([
        400,
        ['ast_site', 'ast_number'],
      ])
      const wrong = await suite.call('PUT', '/Asset/_key/put,x', { json: { ast_count: -1, nope: 1 } })
      expect([wrong.status, wrong.json.messages.length]).toEqual([400, 3])
      expect((await suite.call('PUT', '/Asset/_key/put,2', { json: [] })).status).toBe(400)
    })

    it('is a conflict when another unique value is taken', async () => {
      await suite.call('PUT', '/Asset/_key/serial,1', { json: { ast_serial: 's1' } })
      const answer = await suite.call('PUT', '/Asset/_key/serial,2', { json: { ast_serial: 's1' } })
      expect([answer.status, answer.json.messages[0].field]).toEqual([409, 'ast_serial'])
    })

    it('with If-Match works only on the record that the client knows', async () => {
      const headers = { 'if-match': '*' }
      expect((await suite.call('PUT', '/Asset/_key/match,1', { json: {}, headers })).status).toBe(412)
      const { headers: first } = await suite.call('PUT', '/Asset/_key/match,1', { json: {} })
      const tag = first.get('etag') as string
      expect(
        (await suite.call('PUT', '/Asset/_key/match,1', { json: { ast_count: 1 }, headers: { 'if-match': tag } }))
          .status,
      ).toBe(200)
      expect(
        (await suite.call('PUT', '/Asset/_key/match,1', { json: { ast_count: 2 }, headers: { 'if-match': tag } }))
          .status,
      ).toBe(412)
    })

    it('at the same time from many sides makes one record, and every call succeeds', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => suite.call('PUT', '/Asset/_key/twin,1', { json: { ast_count: at } })),
      )
      expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(Array(8).fill(200))
      expect(new Set(answers.map(({ json }) => json.row_id)).size).toBe(1)
      expect(answers.filter(({ headers }) => headers.has('location'))).toHaveLength(1)
    })

    it('needs the rights to do what it comes to', async () => {
      expect((await suite.call('PUT', '/Movie/_key/New', { json: {}, user: 'rob' })).status).toBe(403)
    })
  })

  it('other methods are refused with those that work', async () => {
    const { status, headers } = await suite.call('POST', '/Asset/_key/a,1')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE, OPTIONS'])
  })
}
