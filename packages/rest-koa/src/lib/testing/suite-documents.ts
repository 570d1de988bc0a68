import { readdir } from 'node:fs/promises'
import { cleanDocuments } from '@steward/rest-core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { basic } from './caller.js'
import type { Answer, CallOptions } from './caller.js'
import type { Suite } from './suite.js'
import { connectTo } from './serve.js'

/** 40 × 20 pixels. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAUCAIAAABwJOjsAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAALklEQVRIie3VwQkAMBACwem/aVPGQVjwL4i6xolkrKhXuTQnHci6TEFCWPQ/Fh99+h0OPLImvgAAAABJRU5ErkJggg==',
  'base64',
)

/** Contents of documents and images, up and down. */
export function testDocuments(suite: Suite): void {
  let number = 0

  async function create(values: object = {}): Promise<string> {
    const { json, text } = await suite.call('POST', '/Asset', {
      json: { ast_site: 'doc', ast_number: ++number, ...values },
    })
    expect(json.row_id, text).toEqual(expect.any(String))
    return json.row_id
  }

  const put = (
    id: string,
    field: string,
    body: NonNullable<CallOptions['body']>,
    options: CallOptions = {},
    query = '',
  ) => suite.call('PUT', `/Asset/${id}/_document/${field}${query}`, { body, ...options })
  const get = (id: string, field: string, headers: Record<string, string> = {}, method = 'GET') =>
    suite.call(method, `/Asset/${id}/_document/${field}`, { headers })
  const files = async () =>
    (await readdir(suite.folder, { recursive: true })).filter((name) => name.endsWith('content')).length

  describe('upload', () => {
    it('takes any body, and a download gives it back', async () => {
      const id = await create()
      const answer = await put(
        id,
        'ast_file',
        'höllo',
        { headers: { 'content-type': 'text/plain; charset=utf-8' } },
        '?_name=a.txt',
      )
      expect(answer.status, answer.text).toBe(200)
      expect(answer.json).toMatchObject({ row_id: id, ast_file: expect.stringMatching(/./) })
      expect(answer.headers.get('etag')).toBe(`"${answer.json.ast_file}"`)
      const { status, text, headers } = await get(id, 'ast_file')
      expect([status, text]).toEqual([200, 'höllo'])
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/plain',
        'content-length': '6',
        'content-disposition': 'inline; filename="a.txt"',
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: `"${answer.json.ast_file}"`,
      })
      const inlined = await suite.call('GET', `/Asset/${id}?_inline_documents=true`)
      expect(inlined.json.ast_file).toMatchObject({
        name: 'a.txt',
        mime: 'text/plain',
        path: 'Asset/ast_file',
        size: 6,
      })
    })

    it.each([
      ['?_name=%C3%A9t%C3%A9.png', {}, `inline; filename="_t_.png"; filename*=UTF-8''%C3%A9t%C3%A9.png`],
      [
        '',
        { 'content-disposition': `attachment; filename*=UTF-8''na%C3%AFve%20(1).pdf` },
        `attachment; filename="na_ve (1).pdf"; filename*=UTF-8''na%C3%AFve%20%281%29.pdf`,
      ],
      [
        '',
        { 'content-disposition': 'attachment; filename="a\\"b.txt"' },
        `inline; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`,
      ],
      [
        '',
        { 'content-disposition': Buffer.from('attachment; filename="Größe.txt"').toString('latin1') },
        `inline; filename="Gr__e.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt`,
      ],
      ['', { 'content-disposition': 'inline; filename=c.txt' }, 'inline; filename="c.txt"'],
      ['?_name=..%2F..%2Fetc%2Fpasswd', {}, 'attachment; filename="passwd"'],
      ['', {}, 'attachment; filename="ast_file"'],
    ])('reads the name from "%s" %j', async (query, headers, wanted) => {
      const id = await create()
      const { status, text } = await put(id, 'ast_file', new Uint8Array([1, 2]), { headers }, query)
      expect(status, text).toBe(200)
      expect((await get(id, 'ast_file')).headers.get('content-disposition')).toBe(wanted)
    })

    it('puts a new document in place of the old one, which goes', async () => {
      const id = await create()
      const before = await files()
      await put(id, 'ast_file', 'one')
      await put(id, 'ast_file', 'two')
      expect([await files(), (await get(id, 'ast_file')).text]).toEqual([before + 1, 'two'])
      await suite.call('PUT', `/Asset/${id}`, { json: { ast_file: '' } })
      expect([await files(), (await get(id, 'ast_file')).status]).toEqual([before, 404])
    })

    it('takes the options of the answer, and POST in place of PUT', async () => {
      const id = await create()
      const { json } = await suite.call('POST', `/Asset/${id}/_document/ast_file?_method=PUT&_fields=ast_note`, {
        body: 'x',
        headers: { 'content-type': 'application/json' },
      })
      expect(json).toEqual({ row_id: id, ast_note: '' })
      expect((await put(id, 'ast_file', '')).status).toBe(200)
      expect((await get(id, 'ast_file')).headers.get('content-length')).toBe('0')
    })

    it('with If-Match and If-None-Match works only on the document that the client knows', async () => {
      const id = await create()
      const send = async (headers: Record<string, string>) => (await put(id, 'ast_file', 'x', { headers })).status
      expect(await send({ 'if-match': '*' })).toBe(412)
      expect(await send({ 'if-none-match': '*' })).toBe(200)
      expect(await send({ 'if-none-match': '*' })).toBe(412)
      const tag = (await get(id, 'ast_file')).headers.get('etag') as string
      expect(await send({ 'if-match': '"other"' })).toBe(412)
      expect(await send({ 'if-match': tag })).toBe(200)
      expect(await send({ 'if-match': tag })).toBe(412)
    })

    it.each([
      ['larger than the field takes', 'ast_small', 'x'.repeat(1001), 413],
      ['into a read-only field', 'ast_fixed', 'x', 403],
      ['into a field of another type', 'ast_note', 'x', 404],
      ['into no field', 'nope', 'x', 404],
    ])('%s is refused, and leaves nothing', async (_what, field, body, wanted) => {
      const id = await create()
      const before = await files()
      const known = await put(id, field, body)
      const unknown = await put(id, field, new Blob([body]).stream())
      expect([known.status, unknown.status]).toEqual([wanted, wanted])
      expect(await files()).toBe(before)
    })

    it('that rules, rights or the address refuse leaves nothing', async () => {
      const locked = await create({ ast_note: 'locked' })
      const before = await files()
      expect((await put(locked, 'ast_file', 'x')).json).toMatchObject({ status: 403, error: 'This asset is locked.' })
      expect((await put('999999', 'ast_file', 'x')).status).toBe(404)
      expect((await put(locked, 'ast_file', 'x', { user: 'rob' })).status).toBe(403)
      expect((await put(locked, 'ast_file', 'x', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
      expect((await put(locked, 'ast_file', 'x', { headers: { 'idempotency-key': 'k' } })).status).toBe(400)
      expect((await put(locked, 'ast_file', 'x', {}, '?_dryrun=true')).status).toBe(400)
      expect(await files()).toBe(before)
    })

    it('that breaks off leaves nothing', async () => {
      const id = await create()
      const before = await files()
      const connection = await connectTo(suite.server.port)
      const head = [
        'PUT /api/rest/Asset/1/_document/ast_file HTTP/1.1',
        'Host: x',
        `Authorization: ${basic('ann', 'ann')}`,
      ]
      connection.send(
        `${head.join('\r\n').replace('/1/', `/${id}/`)}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(5000)}`,
      )
      await vi.waitFor(async () => expect(await files()).toBe(before + 1), { timeout: 60_000 })
      connection.socket.destroy()
      await vi.waitFor(async () => expect(await files()).toBe(before), { timeout: 60_000 })
      expect((await get(id, 'ast_file')).status).toBe(404)
    })
  })

  describe('download', () => {
    let id: string
    beforeAll(async () => {
      id = await create()
      await put(id, 'ast_file', '0123456789')
    })

    it('answers HEAD with the same headers, and 304 while the document is the same', async () => {
      const head = await get(id, 'ast_file', {}, 'HEAD')
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '10'])
      const tag = head.headers.get('etag') as string
      for (const known of [tag, `W/${tag}`, '*']) {
        const { status, text } = await get(id, 'ast_file', { 'if-none-match': known })
        expect([status, text]).toEqual([304, ''])
      }
    })

    it.each([
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
      ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=0-1,4-5', 200, '0123456789', null],
      ['bytes=x', 200, '0123456789', null],
      ['lines=0-1', 200, '0123456789', null],
    ])('Range: %s gives %i', async (range, status, text, place) => {
      const answer = await get(id, 'ast_file', { range })
      expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([status, text, place])
      if (status !== 416) expect(answer.headers.get('content-length')).toBe(`${text.length}`)
    })

    it('gives a part only of the document that the client has started with', async () => {
      const tag = (await get(id, 'ast_file')).headers.get('etag') as string
      const part = (condition: string) => get(id, 'ast_file', { range: 'bytes=0-1', 'if-range': condition })
      expect((await part(tag)).status).toBe(206)
      expect((await part('"other"')).status).toBe(200)
      expect((await part(new Date().toUTCString())).status).toBe(200)
    })

    it.each([
      ['page.html', 'text/html', 'attachment'],
      ['drawing.svg', 'image/svg+xml', 'attachment'],
      ['data.xml', 'application/xml', 'attachment'],
      ['paper.pdf', 'application/pdf', 'attachment'],
      ['photo.jpg', 'image/jpeg', 'inline'],
      ['film.mp4', 'video/mp4', 'inline'],
    ])('never lets %s run in a browser', async (name, type, disposition) => {
      await put(id, 'ast_small', 'x', { headers: { 'content-type': type } }, `?_name=${name}`)
      const { headers } = await get(id, 'ast_small')
      expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        type,
        `${disposition}; filename="${name}"`,
      ])
    })

    it('gives a media type that no header can hold as bytes', async () => {
      const file = { name: 'a', mime: 'text/html\r\nx: y', content: 'eA==' }
      const other = await create({ ast_file: file })
      const { status, headers } = await get(other, 'ast_file')
      expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    })

    it('of nothing is 404, and rights hold', async () => {
      expect((await get(id, 'ast_picture')).status).toBe(404)
      expect((await get(id, 'ast_note')).status).toBe(404)
      expect((await get('999999', 'ast_file')).status).toBe(404)
      expect((await suite.call('GET', `/Asset/${id}/_document/ast_file`, { user: 'rob' })).status).toBe(403)
      expect((await suite.call('GET', `/Asset/${id}/_document/ast_file?_page=1`)).status).toBe(400)
      expect((await suite.call('DELETE', `/Asset/${id}/_document/ast_file`)).headers.get('allow')).toBe(
        'GET, HEAD, PUT, OPTIONS',
      )
    })
  })

  it('an image field takes pictures only, by their content, and nothing else is stored', async () => {
    const id = await create()
    const before = await files()
    const sent = ['no picture', '', '<html></html>', Buffer.alloc(200_000)]
    for (const [at, found] of [
      'text',
      'an empty file',
      'HTML',
      'content that starts with the bytes 00000000',
    ].entries()) {
      const { status, json } = await put(id, 'ast_picture', sent[at] as string, {
        headers: { 'content-type': 'image/png' },
      })
      const text = `Field "ast_picture" must contain a picture (png, jpeg, gif, webp, avif, bmp, tiff, svg), not ${found}.`
      expect([status, json.messages]).toEqual([400, [{ code: 'ERR_TYPE', field: 'ast_picture', text }]])
    }
    expect(await files()).toBe(before)
    await put(id, 'ast_picture', picture, { headers: { 'content-type': 'text/html' } })
    const stored = await get(id, 'ast_picture')
    expect([stored.headers.get('content-type'), stored.headers.get('content-length')]).toEqual([
      'image/png',
      `${picture.length}`,
    ])
  })

  describe('thumbnail', () => {
    const thumbnail = (id: string, field: string, headers = {}): Promise<Answer> =>
      suite.call('GET', `/Asset/${id}/_thumbnail/${field}`, { headers })

    it('is WebP, and 304 while the picture is the same', async () => {
      const id = await create()
      await put(id, 'ast_picture', picture, { headers: { 'content-type': 'image/png' } })
      const { status, headers, text } = await thumbnail(id, 'ast_picture')
      expect([status, headers.get('content-type'), text.slice(8, 12)]).toEqual([200, 'image/webp', 'WEBP'])
      const tag = headers.get('etag') as string
      expect((await thumbnail(id, 'ast_picture', { 'if-none-match': tag })).status).toBe(304)
    })

    it('of what is not a picture is 404', async () => {
      const id = await create()
      expect((await thumbnail(id, 'ast_picture')).status).toBe(404)
      // It starts like a picture, and is none.
      expect((await put(id, 'ast_picture', picture.subarray(0, 8))).status).toBe(200)
      expect((await thumbnail(id, 'ast_picture')).status).toBe(404)
      await put(id, 'ast_file', picture)
      expect((await thumbnail(id, 'ast_file')).status).toBe(404)
    })
  })

  it('what no record refers to is removed after a day, nothing else', async () => {
    const { model } = suite.service
    const { store, documents } = suite
    const id = await create()
    await put(id, 'ast_file', 'kept')
    const path = 'Asset/ast_file'
    const orphan = await documents.put(Buffer.from('x'), { name: 'x', path, maxBytes: 10 })
    const foreign = await documents.put(Buffer.from('x'), { name: 'x', path: 'Other/field', maxBytes: 10 })
    const before = await files()
    expect(await cleanDocuments({ model, store, documents })).toBe(0)
    const clock = () => new Date(Date.now() + 25 * 3_600_000)
    expect(await cleanDocuments({ model, store, documents, clock })).toBe(1)
    expect(await documents.info(orphan.id)).toBeUndefined()
    expect(await documents.info(foreign.id)).toBeDefined()
    expect([await files(), (await get(id, 'ast_file')).text]).toEqual([before - 1, 'kept'])
  })
}
