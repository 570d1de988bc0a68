import { createPrincipal, createRights } from '@steward/rest-core'
import Koa from 'koa'
import { beforeAll, describe, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { basic, createCaller } from './caller.js'
import type { Answer } from './caller.js'
import type { Suite } from './suite.js'
import { connectTo, serve } from './serve.js'

/** Documents from a record or a search result. */
export function testPublications(suite: Suite): void {
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const { json: genre } = await suite.call('POST', '/Genre', { json: { gen_code: 'C', gen_name: 'Classic <&>' } })
    const books = [
      { boo_title: 'Dune', boo_price: 10.5, boo_kind: 'F', boo_pages: 600, boo_since: '2026-01-31' },
      { boo_title: 'Emma <b>&"\'', boo_price: 20, boo_kind: 'N', boo_genre_id: genre.row_id, boo_lent: true },
      { boo_title: '=Über, "x"' },
    ]
    for (const book of books) ids[book.boo_title] = (await suite.call('POST', '/Book', { json: book })).json.row_id
  })

  const emma = (): string => `/Book/${ids['Emma <b>&"\'']}`
  const disposition = ({ headers }: Answer): string | null => headers.get('content-disposition')
  const bytesOf = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${suite.server.url}/api/rest${path}`, {
      headers: { authorization: basic('ann', 'ann') },
    })
    expect(response.status).toBe(200)
    return Buffer.from(await response.arrayBuffer())
  }

  describe('of a record', () => {
    it.each(['?_printtemplate=sheet', '/publication:sheet'])('GET …%s answers the document', async (form) => {
      const answer = await suite.call('GET', emma() + form)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.text).toBe(
        '<h1>Emma &lt;b&gt;&amp;&quot;&#39;</h1><p>Non-fiction, 20.00, Classic &lt;&amp;&gt;</p>',
      )
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(disposition(answer)).toBe('inline; filename="Emma b & \'.html"')
    })

    it('a name that is not ASCII travels in UTF-8', async () => {
      const { json } = await suite.call('POST', '/Book', { json: { boo_title: 'Süd/€' } })
      expect(disposition(await suite.call('GET', `/Book/${json.row_id}/publication:sheet`))).toBe(
        `inline; filename="S_d _.html"; filename*=UTF-8''S%C3%BCd%20%E2%82%AC.html`,
      )
      await suite.call('DELETE', `/Book/${json.row_id}`)
    })

    it('tables hold the record alone', async () => {
      const csv = await suite.call('GET', `/Book/${ids['Dune']}/publication:table`)
      expect(csv.text).toBe('boo_title,boo_price,boo_since,boo_lent\r\nDune,10.50,2026-01-31,false\r\n')
      expect(disposition(csv)).toBe('attachment; filename="table.csv"')
      expect((await suite.call('GET', `/Book/${ids['Dune']}/publication:data`)).json).toEqual({
        boo_title: 'Dune',
        boo_pages: 600,
        boo_price: 10.5,
      })
    })
  })

  describe('of a search result', () => {
    it('takes filters, order and page', async () => {
      const text = async (query: string): Promise<string> =>
        (await suite.call('GET', `/Book/publication:note?${query}`)).text
      expect(await text('')).toBe('=Über, "x";Dune;Emma <b>&"\';3')
      expect(await text('boo_kind=F')).toBe('Dune;1')
      expect(await text('_order=-boo_title&_pagesize=1&_page=1')).toBe('Dune;1')
      expect(await text("_filter=boo_title = 'Dune' or boo_genre_id__gen_name like 'Classic*'")).toBe(
        'Dune;Emma <b>&"\';2',
      )
      expect(await text('boo_genre_id__gen_name=Classic*')).toBe('Emma <b>&"\';1')
      expect((await suite.call('GET', '/Book?_printtemplate=note&order__boo_title=-1&boo_price=>0')).text).toBe(
        'Emma <b>&"\';Dune;2',
      )
    })

    it('csv, json and xml', async () => {
      expect((await suite.call('GET', '/Book/publication:table')).text).toBe(
        'boo_title,boo_price,boo_since,boo_lent\r\n' +
          '"\'=Über, ""x""",,,false\r\nDune,10.50,2026-01-31,false\r\n"Emma <b>&""\'",20.00,,true\r\n',
      )
      expect((await suite.call('GET', '/Book/publication:data?boo_price=>0')).json).toEqual([
        { boo_title: 'Dune', boo_pages: 600, boo_price: 10.5 },
        { boo_title: 'Emma <b>&"\'', boo_pages: null, boo_price: 20 },
      ])
      const xml = await suite.call('GET', '/Book/publication:feed?boo_kind=N')
      expect(xml.text).toContain('<boo_title>Emma &lt;b&gt;&amp;&quot;&#39;</boo_title>\n  <boo_kind>N</boo_kind>')
      expect(xml.headers.get('content-type')).toBe('application/xml; charset=utf-8')
      expect(xml.headers.get('content-security-policy')).toMatch(/^sandbox/)
      expect((await suite.call('GET', '/Book/publication:data?boo_title=Nope')).json).toEqual([])
    })

    it('xlsx and pdf', async () => {
      const xlsx = await bytesOf('/Book/publication:list?boo_kind=F')
      expect(xlsx.subarray(0, 2).toString()).toBe('PK')
      const pdf = await bytesOf('/Book/publication:print')
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      const { headers } = await suite.call('HEAD', '/Book/publication:print')
      expect(headers.get('content-type')).toBe('application/pdf')
      expect(headers.get('content-security-policy')).toBeNull()
    })

    it('many records are streamed, and a client may go away', async () => {
      await suite.service.transaction(async (service) => {
        for (let n = 0; n < 2500; n++)
          await service.create(suite.ann, 'Book', { boo_title: `Many ${n} ${'x'.repeat(80)}` })
      })
      for (let turn = 0; turn < 3; turn++) {
        const connection = await connectTo(suite.server.port)
        connection.send(
          `GET /api/rest/Book/publication:table HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('ann', 'ann')}\r\n\r\n`,
        )
        await connection.until(/200 OK/)
        connection.socket.destroy()
      }
      const lines = (await suite.call('GET', '/Book/publication:table?boo_title=Many*')).text.split('\r\n')
      expect(lines).toHaveLength(2502)
      const { json } = await suite.call('GET', '/Book/publication:table?boo_title=Many*&_output=json')
      expect(json.content).toBe(lines.join('\r\n'))
      const tooMany = await suite.call('GET', '/Book/publication:print')
      expect([tooMany.status, tooMany.json.error]).toEqual([400, expect.stringContaining('1000 records')])
      expect((await suite.call('HEAD', '/Book/publication:table')).status).toBe(200)
    })
  })

  describe('as JSON', () => {
    it('when the client asks for it, or takes nothing else', async () => {
      const path = `/Book/${ids['Dune']}/publication:sheet`
      const envelope = {
        name: 'Dune.html',
        mime: 'text/html',
        content: '<h1>Dune</h1><p>Fiction, 10.50, </p>',
      }
      expect((await suite.call('GET', `${path}?_output=json`)).json).toEqual(envelope)
      expect((await suite.call('GET', path, { headers: { accept: 'application/json' } })).json).toEqual(envelope)
      for (const accept of ['*/*', 'text/html', 'application/json, text/*;q=0.1'])
        expect((await suite.call('GET', path, { headers: { accept } })).text).toBe(envelope.content)
      const data = await suite.call('GET', `/Book/${ids['Dune']}/publication:data`, {
        headers: { accept: 'application/json' },
      })
      expect(data.json).toMatchObject({ boo_title: 'Dune' })
    })

    it('binary contents are base64', async () => {
      const { json } = await suite.call('GET', '/Book/publication:list?boo_kind=F&_output=json')
      expect(json).toMatchObject({ name: 'list.xlsx', mime: expect.stringContaining('spreadsheetml') })
      expect(Buffer.from(json.content, 'base64').subarray(0, 2).toString()).toBe('PK')
    })
  })

  it.each([
    ['/Book/publication:nope', 404, 'Publication "nope"'],
    ['/Book?_printtemplate=nope', 404, 'Publication "nope"'],
    ['/Book/999999/publication:sheet', 404, 'Record "999999"'],
    ['/Nope/publication:sheet', 404, 'Object "Nope"'],
    ['/Book/publication:sheet', 400, 'one record'],
    ['/Book/1/publication:list', 400, 'as a whole'],
    ['/Book?_printtemplate=', 400, 'is empty'],
    ['/Book/publication:note?_printtemplate=note', 400, 'not in both'],
    ['/Book/publication:note?_output=html', 400, '"_output" is "html"'],
    ['/Book/publication:note?nope=1', 400, 'no field "nope"'],
    ['/Book/publication:note?_order=nope', 400, 'no field "nope"'],
    ['/Book/1/publication:sheet?_count=true', 400, 'no count'],
    ['/Book/publication:sheet?_count=true', 400, 'one record'],
    ['/Book/publication:nope?_count=true', 404, 'Publication "nope"'],
    ['/Book/publication:note?_count=true', 200, ''],
    ['/Book/publication:staff', 200, ''],
  ])('GET %s is %i', async (path, status, text) => {
    const answer = await suite.call('GET', path)
    expect(answer.status, answer.text).toBe(status)
    if (status !== 200) expect(answer.json.error).toContain(text)
  })

  it('a record takes no search', async () => {
    for (const query of ['boo_title=x', '_page=0', '_order=boo_title'])
      expect((await suite.call('GET', `${emma()}/publication:sheet?${query}`)).status).toBe(400)
  })

  it('POST works too, without a body', async () => {
    expect((await suite.call('POST', `${emma()}/publication:sheet`)).status).toBe(200)
    expect((await suite.call('POST', `${emma()}/publication:sheet`, { json: { a: 1 } })).status).toBe(400)
    expect((await suite.call('POST', `${emma()}/publication:sheet`, { body: 'x' })).status).toBe(400)
    const { status, headers } = await suite.call('PUT', `${emma()}/publication:sheet`)
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  })

  it('rights are kept: the object, the name, rows, fields', async () => {
    for (const path of [`${emma()}/publication:sheet`, '/Book/publication:table', '/Book?_printtemplate=nope']) {
      const { status, json } = await suite.call('GET', path, { user: 'rob' })
      expect([path, status, json.code]).toEqual([path, 403, 'ERR_RIGHT'])
    }
    const { service } = suite
    const grant = {
      object: 'Book',
      letters: 'R',
      filter: "boo_title = 'Dune'",
      hidden: ['boo_price'],
      publications: ['data'],
    }
    const some = createPrincipal({ login: 'some', rights: createRights(service.model, [grant], {}) })
    const { content } = await service.publish(some, 'Book', 'data')
    let text = ''
    for await (const chunk of content as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString()
    expect(JSON.parse(text)).toEqual([{ boo_title: 'Dune', boo_pages: 600 }])
    await expect(service.publish(some, 'Book', 'table')).rejects.toMatchObject({ code: 'ERR_RIGHT' })
  })

  it('below level 5.1 only the parameter names a publication', async () => {
    const app = new Koa()
    app.use(restRouter(suite.service, { authenticate: () => suite.ann, level: '4.0' }).routes())
    const server = await serve(app)
    try {
      const call = createCaller(`${server.url}/api/rest`)
      expect((await call('GET', '/Book/publication:note')).status).toBe(404)
      expect((await call('GET', '/Book?_printtemplate=note&boo_kind=F')).text).toBe('Dune;1')
    } finally {
      await server.close()
    }
  })
}
