import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Answer, CallOptions } from './caller.js'
import type { Suite } from './suite.js'

/** Batches, and writes of which nothing is kept. */
export function testBatches(suite: Suite): void {
  const values = (ast_site: string, ast_number: number, more: object = {}) => ({ ast_site, ast_number, ...more })
  const batch = (items: unknown, query = '', options: CallOptions = {}) =>
    suite.call('POST', `/Asset/_batch${query}`, { json: items, ...options })
  const count = async (site: string): Promise<number> =>
    (await suite.call('GET', `/Asset?_count=true&ast_site=${site}`)).json.count

  describe('a batch', () => {
    it('creates, updates, upserts and deletes in order, and answers each item', async () => {
      const { json: first } = await suite.call('POST', '/Asset', { json: values('mix', 1) })
      const { json: second } = await suite.call('POST', '/Asset', { json: values('mix', 2) })
      const { status, json, text } = await batch([
        { action: 'create', values: values('mix', 3) },
        { action: 'update', row_id: first.row_id, values: { ast_count: 1 } },
        { action: 'update', values: values('mix', 2, { ast_note: 'by key' }) },
        { action: 'upsert', values: values('mix', 3, { ast_count: 3 }) },
        { action: 'upsert', values: values('mix', 4) },
        { action: 'delete', row_id: second.row_id },
        { action: 'delete', values: values('mix', 4) },
      ])
      expect(status, text).toBe(200)
      expect(json).toMatchObject([
        { status: 200, record: { ast_number: 3, ast_count: null } },
        { status: 200, record: { row_id: first.row_id, ast_count: 1 } },
        { status: 200, record: { row_id: second.row_id, ast_note: 'by key' } },
        { status: 200, record: { row_id: json[0].record.row_id, ast_count: 3 } },
        { status: 200, record: { ast_number: 4 } },
        { status: 200, record: { row_id: second.row_id } },
        { status: 200, record: { row_id: json[4].record.row_id } },
      ])
      expect(await count('mix')).toBe(2)
    })

    it('takes the options of the answer', async () => {
      const { json } = await batch([{ action: 'create', values: values('fields', 1) }], '?_fields=ast_site')
      expect(json).toEqual([{ status: 200, record: { row_id: expect.any(String), ast_site: 'fields' } }])
      expect((await batch([])).json).toEqual([])
    })

    it('keeps nothing when an item fails, and reports which one with all its mistakes', async () => {
      const before = suite.changes.length
      const { status, json } = await batch([
        { action: 'create', values: values('none', 1, { ast_note: 'genre NONE' }) },
        { action: 'create', values: { ast_site: 'none', ast_number: 'x', ast_count: -1, nope: 1 } },
        { action: 'create', values: {} },
      ])
      expect([status, json.code]).toEqual([400, 'ERR_VALIDATION'])
      expect(json.error).toMatch(/^Item 1: /)
      expect(json.messages.map(({ item }: { item: number }) => item)).toEqual([1, 1, 1])
      expect(json.messages.map(({ field }: { field: string }) => field).toSorted()).toEqual([
        'ast_count',
        'ast_number',
        'nope',
      ])
      expect(await count('none')).toBe(0)
      expect((await suite.call('GET', '/Genre?_count=true&gen_code=NONE')).json.count).toBe(0)
      expect(suite.changes).toHaveLength(before)
    })

    it.each([
      ['a duplicate key', { action: 'create', values: values('last', 1) }, 409, 'ERR_USERKEY'],
      ['a hook', { action: 'create', values: values('last', 2, { ast_note: 'refuse' }) }, 403, 'ERR_RIGHT'],
      ['a missing row', { action: 'update', row_id: '999999', values: {} }, 404, 'ERR_NOT_FOUND'],
      ['a missing key', { action: 'delete', values: values('last', 9) }, 404, 'ERR_NOT_FOUND'],
    ])('keeps nothing when %s refuses the last item', async (_what, item, wanted, code) => {
      const { status, json } = await batch([{ action: 'create', values: values('last', 1) }, item])
      expect([status, json.messages[0].item, json.messages[0].code]).toEqual([wanted, 1, code])
      expect(await count('last')).toBe(0)
    })

    it('reports every write to listeners, once it is kept', async () => {
      const before = suite.changes.length
      await batch([
        { action: 'create', values: values('told', 1) },
        { action: 'upsert', values: values('told', 1) },
      ])
      expect(suite.changes.slice(before).map(({ operation }) => operation)).toEqual(['create', 'update'])
    })

    it('of upserts of the same record at the same time from many sides succeeds', async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => batch([1, 2].map((n) => ({ action: 'upsert', values: values('twins', n) })))),
      )
      expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(Array(5).fill(200))
      expect(await count('twins')).toBe(2)
    })
  })

  describe('with _atomic=false', () => {
    it('each item is written on its own', async () => {
      const { status, json } = await batch(
        [
          { action: 'create', values: values('each', 1) },
          { action: 'create', values: { ast_count: -1 } },
          { action: 'create', values: values('each', 1) },
          { action: 'create', values: values('each', 2, { ast_note: 'refuse' }) },
          { action: 'delete', row_id: '999999' },
          { action: 'upsert', values: values('each', 3) },
        ],
        '?_atomic=false',
      )
      expect(status).toBe(200)
      expect(json.map((each: { status: number }) => each.status)).toEqual([200, 400, 409, 403, 404, 200])
      expect(json[1]).toMatchObject({ code: 'ERR_VALIDATION', error: expect.any(String) })
      expect(json[1].messages).toHaveLength(3)
      expect(await count('each')).toBe(2)
    })

    it('and _dryrun=true, each item is tried on its own', async () => {
      const items = [
        { action: 'create', values: values('tried', 1) },
        { action: 'create', values: {} },
      ]
      const { json, headers } = await batch([...items, items[0]], '?_atomic=false&_dryrun=true')
      expect(json.map((each: { status: number }) => each.status)).toEqual([200, 400, 200])
      expect(headers.get('x-dry-run')).toBe('true')
      expect(await count('tried')).toBe(0)
    })
  })

  it.each([
    [{}, 400, /must be a JSON array/],
    [[1], 400, /Item 0 must be an object/],
    [[null], 400, /Item 0 must be an object/],
    [[{ values: {} }], 400, /Item 0 has no action; give one of create, update, delete, upsert/],
    [[{ action: 'drop', values: {} }], 400, /the action "drop"/],
    [[{ action: 'create' }], 400, /Item 0 has no "values"/],
    [[{ action: 'create', values: [] }], 400, /must be a JSON object/],
    [[{ action: 'create', row_id: '1', values: {} }], 400, /leave it out/],
    [[{ action: 'update', row_id: 1, values: {} }], 400, /not a string/],
    [[{ action: 'delete', rowid: '1' }], 400, /has "rowid"/],
    [Array(10_001).fill(0), 413, /10001 items, 10000 is the limit/],
  ])('refuses %j', async (items, wanted, text) => {
    const { status, json } = await batch(items)
    expect([status, json.error]).toEqual([wanted, expect.stringMatching(text)])
  })

  it('needs the rights of every item', async () => {
    const { status } = await suite.call('POST', '/Movie/_batch', {
      json: [{ action: 'create', values: { mov_title: 'No' } }],
      user: 'rob',
    })
    expect(status).toBe(403)
    expect((await suite.call('GET', '/Asset/_batch')).status).toBe(405)
    expect((await batch([], '?_atomic=maybe')).status).toBe(400)
  })

  describe('a dry run', () => {
    const snapshot = async () => [
      (await suite.call('GET', '/Asset?ast_site=dry&_timestamps=true')).text,
      (await suite.call('GET', '/Genre?gen_code=DRY')).text,
      suite.changes.length,
      (await readdir(suite.folder, { recursive: true })).filter((name) => name.endsWith('content')).toSorted(),
    ]
    const file = { name: 'a.txt', content: Buffer.from('one').toString('base64') }

    /** Calls with `_dryrun=true`: the answer is that of a real call, and nothing is kept. */
    async function dry(method: string, path: string, json?: unknown): Promise<Answer> {
      const before = await snapshot()
      const answer = await suite.call(method, `${path}?_dryrun=true`, json === undefined ? {} : { json })
      expect(answer.headers.get('x-dry-run')).toBe(answer.status === 200 ? 'true' : null)
      expect(answer.headers.get('location')).toBeNull()
      expect(await snapshot()).toEqual(before)
      return answer
    }

    it('of every write answers as usual and keeps nothing: rows, rows of hooks, documents, news', async () => {
      const created = await suite.call('POST', '/Asset', { json: values('dry', 1, { ast_file: file, ast_count: 5 }) })
      const id = created.json.row_id
      const more = { ast_note: 'genre DRY', ast_file: file }
      const create = await dry('POST', '/Asset', values('dry', 2, more))
      expect([create.status, create.json]).toMatchObject([200, { ast_number: 2, ast_note: 'genre DRY' }])
      expect(create.headers.get('etag')).toMatch(/^"/)
      const update = await dry('PUT', `/Asset/${id}`, { ...more, ast_count: 6 })
      expect(update.json).toMatchObject({ row_id: id, ast_count: 6 })
      expect((await dry('PUT', '/Asset/_key/dry,1', more)).json.row_id).toBe(id)
      expect((await dry('PUT', '/Asset/_key/dry,3', more)).json.ast_number).toBe(3)
      const items = [
        { action: 'create', values: values('dry', 4, more) },
        { action: 'delete', row_id: id },
      ]
      expect((await dry('POST', '/Asset/_batch', items)).json).toMatchObject([
        { status: 200 },
        { record: { row_id: id } },
      ])
      expect((await dry('DELETE', `/Asset/${id}`)).json).toEqual({ row_id: id })
      expect((await suite.call('GET', `/Asset/${id}?_inline_documents=true`)).json.ast_file.content).toBe(file.content)
      expect((await suite.call('DELETE', `/Asset/${id}`)).status).toBe(200)
    })

    it('finds what a real call would find', async () => {
      await suite.call('POST', '/Asset', { json: values('dry', 9) })
      expect((await dry('POST', '/Asset', {})).json.messages).toHaveLength(2)
      expect((await dry('POST', '/Asset', values('dry', 9))).status).toBe(409)
      expect((await dry('POST', '/Asset', values('dry', 8, { ast_note: 'refuse' }))).status).toBe(403)
      expect((await dry('DELETE', '/Asset/999999')).status).toBe(404)
      const { status } = await suite.call('POST', '/Movie?_dryrun=true', { json: { mov_title: 'No' }, user: 'rob' })
      expect(status).toBe(403)
      expect((await suite.call('POST', '/Asset?_dryrun=perhaps', { json: {} })).status).toBe(400)
      expect((await suite.call('GET', '/Asset?_dryrun=true')).status).toBe(400)
    })

    it('lets other writes continue afterwards', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          suite.call('POST', `/Asset?_dryrun=${at % 2 === 0}`, { json: values('both', at) }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      expect(await count('both')).toBe(3)
    })
  })
}
