import Koa from 'koa'
import { createPrincipal, createRights } from '@steward/rest-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { restRouter } from '../router/rest-router.js'
import { gates } from './book.js'
import { createCaller } from './caller.js'
import type { Answer } from './caller.js'
import type { Suite } from './suite.js'
import { serve } from './serve.js'

/** Actions about a record and about a search result, at once and in the background. */
export function testActions(suite: Suite): void {
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    for (const [boo_title, boo_price, boo_kind, boo_pages] of [
      ['Dune', 10, 'F', 600],
      ['Emma', 20, 'F', 400],
      ['Cosmos', 30, 'N', 400],
    ]) {
      const { json } = await suite.call('POST', '/Book', { json: { boo_title, boo_price, boo_kind, boo_pages } })
      ids[boo_title as string] = json.row_id
    }
  })

  const codes = ({ json }: Answer): string[] =>
    json.messages.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`).toSorted()
  const priceOf = async (title: string): Promise<unknown> =>
    (await suite.call('GET', `/Book/${ids[title]}`)).json.boo_price

  describe('about a record', () => {
    it.each([
      ['?_action=reprice&', 'one'],
      ['/action:reprice?', 'two'],
    ])('GET …%s runs it', async (form, why) => {
      const before = (await priceOf('Emma')) as number
      const { status, json, headers, text } = await suite.call(
        'GET',
        `/Book/${ids['Emma']}${form}percent=50&why=${why}`,
      )
      expect(status, text).toBe(200)
      expect(json).toEqual({ result: { title: 'Emma', price: before * 1.5, kind: '' } })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(await priceOf('Emma')).toBe(before * 1.5)
      expect((await suite.call('GET', `/Genre?gen_code=log ${ids['Emma']} ${why}`)).json).toHaveLength(1)
    })

    it('POST takes parameters from the address, and from a JSON object or a form', async () => {
      const { row_id: id } = (await suite.call('POST', '/Book', { json: { boo_title: 'Posted', boo_price: 100 } })).json
      const post = async (query: string, options: object): Promise<unknown> => {
        const { json, text } = await suite.call('POST', `/Book/${id}/action:reprice${query}`, options)
        expect(json.result, text).toBeDefined()
        return [json.result.price, json.result.kind]
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      expect(await post('', { json: { percent: 10 } })).toEqual([110, ''])
      expect(await post('?boo_kind=F', { json: { percent: '-10', why: 'ü' } })).toEqual([99, 'F'])
      expect(await post('', { body: 'percent=%2B0&why=a+b&boo_kind=N', headers: form })).toEqual([99, 'N'])
      expect(await post('?percent=0&why=address', {})).toEqual([99, ''])
      const logs = (await suite.call('GET', `/Genre?gen_code=log ${id}*`)).json
      expect(logs.map(({ gen_code }: { gen_code: string }) => gen_code.slice(5 + id.length))).toEqual([
        'a b',
        'address',
        'sale',
        'ü',
      ])
    })

    it('reports all mistakes of the parameters at once', async () => {
      const answer = await suite.call(
        'GET',
        `/Book/${ids['Dune']}/action:reprice?percent=60&boo_kind=X&why=far+too+long+a+reason&nope=1&boo_title=x`,
      )
      expect([answer.status, answer.json.code]).toEqual([400, 'ERR_VALIDATION'])
      expect(codes(answer)).toEqual([
        'ERR_ENUM boo_kind',
        'ERR_LENGTH why',
        'ERR_TYPE percent',
        'ERR_UNKNOWN_FIELD boo_title',
        'ERR_UNKNOWN_FIELD nope',
      ])
      const none = await suite.call('POST', `/Book/${ids['Dune']}?_action=reprice`)
      expect([none.status, codes(none)]).toEqual([400, ['ERR_REQUIRED percent']])
      const twice = await suite.call('GET', `/Book/${ids['Dune']}?_action=reprice&percent=1&percent=2`)
      expect([twice.status, codes(twice)]).toEqual([400, ['ERR_TYPE percent']])
    })

    it('undoes everything when it fails, and reports what the caller may know', async () => {
      const refused = await suite.call('GET', `/Book/${ids['Dune']}/action:reprice?percent=1&why=undo`)
      expect([refused.status, refused.json.error]).toEqual([409, 'Everything is undone.'])
      const broken = await suite.call('GET', `/Book/${ids['Dune']}/action:reprice?percent=1&why=break`)
      expect([broken.status, broken.json.code]).toEqual([500, 'ERR_INTERNAL'])
      expect(broken.text).not.toContain('secret')
      const odd = await suite.call('GET', `/Book/${ids['Dune']}/action:odd`)
      expect([odd.status, odd.json.messages]).toEqual([500, []])
      expect(await priceOf('Dune')).toBe(10)
      expect((await suite.call('GET', `/Genre?gen_code=log ${ids['Dune']}*`)).json).toEqual([])
    })

    it('a dry run keeps nothing, also of a background action', async () => {
      const path = `/Book/${ids['Dune']}/action:reprice?percent=50&why=dry&_dryrun=true`
      expect((await suite.call('GET', path)).json).toEqual({ result: { title: 'Dune', price: 15, kind: '' } })
      expect(await priceOf('Dune')).toBe(10)
      const lent = async (): Promise<unknown> => (await suite.call('GET', `/Book/${ids['Dune']}`)).json.boo_lent
      await suite.call('PUT', `/Book/${ids['Dune']}`, { json: { boo_lent: true } })
      expect((await suite.call('POST', `/Book/${ids['Dune']}/action:back?_dryrun=true`)).json).toEqual({
        result: { done: 1 },
      })
      expect(await lent()).toBe(true)
      await suite.call('PUT', `/Book/${ids['Dune']}`, { json: { boo_lent: false } })
    })

    it('a guard may refuse it', async () => {
      const { status, json } = await suite.call('GET', `/Book/${ids['Cosmos']}/action:reprice?percent=1`)
      expect([status, json.code]).toEqual([403, 'ERR_RIGHT'])
    })

    it.each([
      ['/Book/999999/action:reprice?percent=1', 404, 'Record "999999"'],
      ['/Book/x/action:reprice?percent=1', 404, 'Record "x"'],
      ['/Book/1/action:nope', 404, 'Action "nope"'],
      ['/Book/1?_action=nope', 404, 'Action "nope"'],
      ['/Nope/1?_action=nope', 404, 'Object "Nope"'],
      ['/Book/1?_action=', 400, 'is empty'],
      ['/Book/1/action:reprice?_action=reprice&percent=1', 400, 'not in both'],
      ['/Book/action:reprice?percent=1', 400, 'one record'],
      ['/Book?_action=reprice', 400, 'one record'],
      ['/Book/1/action:count', 400, 'as a whole'],
      ['/Book/1/action:reprice?percent=1&_page=0', 400, 'no page'],
      ['/Book/1/action:reprice?percent=1&_order=boo_title', 400, 'no order'],
      ['/Book/1/action:reprice?percent=1&_count=true', 400, 'no count'],
      ['/Book/action:nope?_count=true', 404, 'Action "nope"'],
      ['/Book/action:reprice?_count=true', 400, 'one record'],
      ['/Book/1?_action=reprice&_action=reprice', 400, 'more than once'],
    ])('GET %s is %i', async (path, status, text) => {
      const answer = await suite.call('GET', path)
      expect([answer.status, answer.json.error]).toEqual([status, expect.stringContaining(text)])
    })

    it('refuses bodies that hold no parameters', async () => {
      const path = `/Book/${ids['Dune']}/action:reprice`
      const status = async (options: object): Promise<unknown> => (await suite.call('POST', path, options)).status
      expect(await status({ json: [] })).toBe(400)
      expect(await status({ json: 'x' })).toBe(400)
      expect(await status({ body: '{', headers: { 'content-type': 'application/json' } })).toBe(400)
      expect(
        await status({ body: 'percent=%zz', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      ).toBe(400)
      expect(await status({ body: 'x', headers: { 'content-type': 'text/plain' } })).toBe(415)
      const both = await suite.call('POST', `${path}?percent=1`, { json: { percent: 1 } })
      expect([both.status, both.json.error]).toEqual([400, expect.stringContaining('in the address and in the body')])
    })

    it('no prototype is reached by names of parameters', async () => {
      const answer = await suite.call('POST', `/Book/${ids['Dune']}/action:reprice?__proto__=1&constructor=1`, {
        json: { percent: 1 },
      })
      expect(answer.status).toBe(400)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    })
  })

  describe('about a search result', () => {
    it('works on the records of the search, in its order and page', async () => {
      const titles = async (query: string): Promise<unknown> =>
        (await suite.call('GET', `/Book/action:count?${query}`)).json.result.titles
      expect(await titles('boo_kind=F&boo_title=<>Posted')).toEqual(['Dune', 'Emma'])
      expect(await titles("boo_title=in ('Dune','Emma','Cosmos')&_order=-boo_title")).toEqual([
        'Emma',
        'Dune',
        'Cosmos',
      ])
      expect(await titles('_order=-boo_title&_pagesize=1&_page=1')).toEqual(['Emma'])
      expect(await titles('boo_title=Nope')).toEqual([])
      expect(await titles("_filter=boo_title = 'Emma' or boo_title = 'Dune'&boo_kind=F&_order=boo_title")).toEqual([
        'Dune',
        'Emma',
      ])
      expect((await suite.call('GET', '/Book/action:count?_filter=')).status).toBe(400)
      const { json } = await suite.call(
        'GET',
        "/Book/action:count?_count=true&_filter=boo_title = 'Emma' or boo_title = 'Dune'",
      )
      expect(json.count).toBe(2)
      const single = await suite.call('GET', `/Book/${ids['Dune']}/action:odd?_filter=boo_title is null`)
      expect([single.status, single.json.error]).toEqual([400, 'A call about one record has no filter.'])
    })

    it('a name that is a parameter and a field is the parameter', async () => {
      const { json } = await suite.call('GET', '/Book?_action=count&boo_pages=600&boo_title=Emma')
      expect(json).toEqual({ result: { titles: ['Emma'], pages: 600 } })
    })

    it('a name that is neither is an error', async () => {
      const answer = await suite.call('GET', '/Book/action:count?nope=1')
      expect([answer.status, codes(answer)]).toEqual([400, ['ERR_UNKNOWN_FIELD nope']])
      expect((await suite.call('GET', '/Book/action:count?_order=nope')).status).toBe(400)
      expect((await suite.call('GET', '/Book/action:odd?nope=1')).status).toBe(400)
    })

    it('may change the records while it reads them', async () => {
      await suite.service.transaction(async (service) => {
        for (let n = 0; n < 1100; n++) await service.create(suite.ann, 'Book', { boo_title: `Many ${n}` })
      })
      const { json } = await suite.call('POST', '/Book/action:lend?boo_title=Many*')
      expect(json).toEqual({ result: '1100 lent' })
      expect((await suite.call('GET', '/Book?boo_lent=true&_count=true')).json.count).toBe(1100)
    })

    it('keeps to the rows that rights cover', async () => {
      const { service } = suite
      const some = createPrincipal({
        login: 'some',
        rights: createRights(
          service.model,
          [
            { object: 'Book', letters: 'R', filter: "boo_title not like 'Many%'" },
            { object: 'Book', letters: 'A', filter: "boo_kind = 'F'", hidden: [] },
          ],
          {},
        ),
      })
      expect(await service.action(some, 'Book', 'count')).toEqual({
        result: { titles: ['Dune', 'Emma'], pages: null },
      })
      await expect(
        service.action(some, 'Book', 'reprice', { rowId: ids['Cosmos'], parameters: { percent: 1 } }),
      ).rejects.toMatchObject({ code: 'ERR_RIGHT' })
    })
  })

  describe('in the background', () => {
    const statusOf = async (path: string): Promise<unknown> => (await suite.call('GET', path)).json.status
    const start = async (path: string): Promise<string> => {
      const { status, json, headers, text } = await suite.call('GET', path)
      expect(status, text).toBe(202)
      expect(json).toMatchObject({ object: 'Book', action: 'back', status: 'running', ended: '' })
      expect(headers.get('location')).toBe(`/api/rest/_task/${json.id}`)
      return `/_task/${json.id}`
    }

    it('is answered with its status address, and keeps running', async () => {
      const task = await start('/Book/action:back?boo_title=Many*&gate=one')
      await expect.poll(() => gates.has('one'), { timeout: 60_000 }).toBe(true)
      expect((await suite.call('GET', task)).json).toMatchObject({ status: 'running', done: 0, text: 'waiting' })
      gates.get('one')?.()
      await expect.poll(() => statusOf(task), { timeout: 60_000 }).toBe('done')
      expect((await suite.call('GET', task)).json).toMatchObject({
        done: 1100,
        result: { done: 1100 },
        ended: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })
      expect((await suite.call('GET', '/Book?boo_lent=true&_count=true')).json.count).toBe(0)
    })

    it('is cancelled by DELETE', async () => {
      const task = await start(`/Book/${ids['Dune']}?_action=back&gate=two`)
      expect((await suite.call('DELETE', task)).status).toBe(200)
      await expect.poll(() => statusOf(task), { timeout: 60_000 }).toBe('cancelled')
    })

    it('reports a failure without details', async () => {
      const task = await start('/Book/action:back?gate=broken')
      await expect.poll(() => gates.has('broken'), { timeout: 60_000 }).toBe(true)
      gates.get('broken')?.()
      await expect.poll(() => statusOf(task), { timeout: 60_000 }).toBe('failed')
      const { json, text } = await suite.call('GET', task)
      expect(json.error).toEqual({ code: 'ERR_INTERNAL', message: expect.any(String) })
      expect(text).not.toContain('secret')
    })

    it('is visible to its user only', async () => {
      const task = await start('/Book/action:back?boo_title=Nope')
      for (const method of ['GET', 'DELETE']) {
        const { status, json } = await suite.call(method, task, { user: 'rob' })
        expect([status, json.code]).toEqual([404, 'ERR_NOT_FOUND'])
      }
      expect((await suite.call('GET', '/_task/nope')).status).toBe(404)
      expect((await suite.call('PUT', task)).status).toBe(405)
      expect((await suite.call('GET', `${task}?x=1`)).status).toBe(400)
    })
  })

  it('needs the right to run actions', async () => {
    for (const path of [`/Book/${ids['Dune']}/action:reprice?percent=1`, '/Book?_action=count', '/Book/action:back']) {
      const { status, json } = await suite.call('GET', path, { user: 'rob' })
      expect([path, status, json.code]).toEqual([path, 403, 'ERR_RIGHT'])
    }
    expect((await suite.call('GET', '/Movie/action:nope', { user: 'rob' })).status).toBe(403)
    expect((await suite.call('GET', '/Book/action:count', { user: null })).status).toBe(401)
  })

  it('pages of other sites cannot make a browser run one', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    for (const method of ['GET', 'POST']) {
      const { status, json } = await suite.call(method, '/Book/action:count', { headers })
      expect([status, json.code]).toEqual([403, 'ERR_ORIGIN'])
    }
    expect(
      (await suite.call('GET', '/Book/action:count', { headers: { 'sec-fetch-site': 'same-origin' } })).status,
    ).toBe(200)
    expect((await suite.call('POST', '/Book/action:count', { headers, json: {} })).status).toBe(200)
  })

  it('only GET and POST run actions', async () => {
    const { status, headers } = await suite.call('PUT', '/Book/action:count')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS'])
  })

  it('below level 5.1 only the parameter names an action', async () => {
    const app = new Koa()
    app.use(restRouter(suite.service, { authenticate: () => suite.ann, level: '5.0' }).routes())
    const server = await serve(app)
    try {
      const call = createCaller(`${server.url}/api/rest`)
      const path = await call('GET', '/Book/action:count')
      expect([path.status, path.json.error]).toEqual([404, expect.stringContaining('came with level 5.1')])
      expect((await call('GET', '/Book?_action=count&boo_title=Emma')).json.result.titles).toEqual(['Emma'])
    } finally {
      await server.close()
    }
  })
}
