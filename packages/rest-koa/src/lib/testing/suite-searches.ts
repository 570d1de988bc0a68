import { beforeAll, describe, expect, it } from 'vitest'
import type { Suite } from './suite.js'

/** Search, filters, sort, count, pages, streams. */
export function testSearches(suite: Suite): void {
  const total = 23

  beforeAll(async () => {
    await suite.service.transaction(async (service) => {
      const genres = [
        await service.create(suite.ann, 'Genre', { gen_code: 'A', gen_name: 'Action' }),
        await service.create(suite.ann, 'Genre', { gen_code: 'D', gen_name: 'Drama' }),
      ]
      for (let n = 0; n < total; n++) {
        await service.create(suite.ann, 'Movie', {
          mov_title: `Movie ${String(n).padStart(2, '0')}${n === 7 ? ' 100% é' : ''}`,
          mov_year: n === 3 ? null : 1980 + (n % 5),
          mov_seen: n % 2 === 0,
          mov_genre_id: genres[n % 2]?.row_id,
        })
      }
    })
  })

  async function titles(query: string): Promise<string[]> {
    const { status, json, text } = await suite.call('GET', `/Movie/${query}`)
    expect(status, text).toBe(200)
    return json.map(({ mov_title: title }: { mov_title: string }) => title.slice(6, 8))
  }

  it.each(['', '/', '/0', '/_'])(
    'GET /Movie%s answers all records as one array in the order of the object',
    async (end) => {
      const { status, json, headers } = await suite.call('GET', `/Movie${end}`)
      expect(status).toBe(200)
      expect(json).toHaveLength(total)
      expect(json[0]).toMatchObject({ mov_title: 'Movie 00', mov_genre_id__gen_name: 'Action' })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('link')).toBeNull()
    },
  )

  it('answers an empty array when nothing matches', async () => {
    const { status, text, headers } = await suite.call('GET', '/Movie?mov_title=nothing')
    expect([status, text, headers.get('content-length')]).toEqual([200, '[]', '2'])
  })

  describe('filters', () => {
    it.each([
      ['mov_title=Movie%2005', ['05']],
      ['mov_title=Movie+05', ['05']],
      ['mov_title=%25ie%2005', ['05']],
      ['mov_title=*05', ['05']],
      ['mov_title=movie%2005%25', ['05']],
      ['mov_title=Movie%200_&mov_year=1984', ['04', '09']],
      ['mov_title=Movie%2005&mov_title=Movie%2006', ['05', '06']],
      ['mov_year=%3E=%201984&mov_seen=true', ['04', '14']],
      ['mov_year=1981;1981&mov_seen=false', ['01', '11', '21']],
      ['nmin__mov_year=1984&nmax__mov_year=1984&mov_seen=1', ['04', '14']],
      ['mov_year=is%20null', ['03']],
      ['mov_title=in%20(%27Movie%2001%27,%27Movie%2002%27)', ['01', '02']],
      ['mov_genre_id__gen_code=D&mov_year=1980', ['05', '15']],
      ['mov_title=%25%C3%A9', ['07']],
      ['mov_title=%25100%5C%25%25', ['07']],
      ['_filter=mov_title%20=%20%27Movie%2005%27%20or%20mov_genre_id__gen_code=D%20and%20mov_year=1980', ['05', '15']],
      ['_filter=(mov_title%20like%20%27%250_%27%20or%20mov_seen=true)%20and%20mov_year=1984', ['04', '09', '14']],
      ['_filter=mov_year=1980%20or%20mov_year=1984&mov_seen=true&nmin__mov_year=1984', ['04', '14']],
      ['_filter=not%20mov_year%20is%20not%20null', ['03']],
    ])('%s', async (query, expected) => {
      expect(await titles(`?${query}`)).toEqual(expected)
    })
  })

  describe('fields of linked objects that no reference displays', () => {
    it('filter, sort by pages and by cursors, and are answered', async () => {
      const path = 'mov_genre_id__created_by'
      const { json } = await suite.call('GET', `/Movie?_fields=mov_title,${path}&mov_title=Movie 05`)
      expect(json).toEqual([{ row_id: expect.any(String), mov_title: 'Movie 05', [path]: expect.stringMatching(/./) }])
      const [{ [path]: by }] = json
      expect((await suite.call('GET', `/Movie?_count=true&${path}=${by}`)).json.count).toBeGreaterThan(0)
      const all: string[] = []
      for (let next: string | null = ''; next !== null;) {
        const page = await suite.call('GET', `/Movie?_order=-${path},mov_title&_pagesize=4&_cursor=${next}`)
        all.push(...page.json.map(({ mov_title: title }: { mov_title: string }) => title))
        next = page.headers.get('x-next-cursor')
      }
      const sorted = (await suite.call('GET', `/Movie?_order=-${path},mov_title`)).json
      expect(all).toEqual(sorted.map(({ mov_title: title }: { mov_title: string }) => title))
      expect(all).toHaveLength(total)
    })
  })

  describe('_filter', () => {
    it.each([
      ['mov_titel = 1', 'has no field "mov_titel", at position 1 of the filter. Did you mean "mov_title"?'],
      [
        'mov_year > 1 or (mov_genre_id__gen_nam = 1)',
        'at position 18 of the filter. Did you mean "mov_genre_id__gen_name"?',
      ],
      ['mov_year = 1 or mov_year = x', 'Filter on "mov_year" at position 17 must be a whole number'],
      ['mov_year = 1 or', 'cannot be read at its end'],
      ['', 'cannot be read at its end'],
      ["mov_title = '1'; drop table movie", 'cannot be read at position 16, near "; drop table movie"'],
      ['('.repeat(51), 'deeper than 50'],
      [Array.from({ length: 1_001 }, () => 'mov_year=1').join(' or '), 'more than 1000 conditions'],
    ])('%j is refused', async (filter, text) => {
      const { status, json } = await suite.call('POST', '/Movie/_search', { json: { _filter: filter } })
      expect([status, json.error]).toEqual([400, expect.stringContaining(text)])
    })

    it('is given once', async () => {
      const { status, json } = await suite.call('GET', '/Movie?_filter=mov_year=1&_filter=mov_year=2')
      expect([status, json.error]).toEqual([400, 'Parameter "_filter" is given more than once.'])
    })
  })

  describe('sort', () => {
    it.each([
      ['_order=-mov_title&_pagesize=3', ['22', '21', '20']],
      ['_order=mov_year,-mov_title&_pagesize=3', ['03', '20', '15']],
      ['order__mov_year=%2B1&order__mov_title=-2&_pagesize=3', ['03', '20', '15']],
      ['order__mov_title=-2&order__mov_year=+1&_pagesize=3', ['03', '20', '15']],
      ['order__mov_title=-1&_pagesize=2', ['22', '21']],
      ['_order=mov_genre_id__gen_name,mov_title&_pagesize=2', ['00', '02']],
    ])('%s', async (query, expected) => {
      expect(await titles(`?${query}`)).toEqual(expected)
    })

    it('refuses both ways at once', async () => {
      expect((await suite.call('GET', '/Movie?_order=mov_year&order__mov_title=1')).status).toBe(400)
    })
  })

  describe('count', () => {
    it('_count=true answers the number of records and of pages', async () => {
      expect((await suite.call('GET', '/Movie?_count=true')).json).toEqual({
        count: total,
        page: 0,
        maxpage: 4,
        pagesize: 5,
      })
      expect((await suite.call('GET', '/Movie/?_count=true&mov_seen=true&_pagesize=10&_page=1')).json).toEqual({
        count: 12,
        page: 1,
        maxpage: 1,
        pagesize: 10,
      })
      expect((await suite.call('GET', '/Movie/?_count=true&mov_title=nothing')).json).toEqual({
        count: 0,
        page: 0,
        maxpage: 0,
        pagesize: 5,
      })
      expect((await suite.call('GET', '/Movie/?_count=false&mov_title=nothing')).json).toEqual([])
    })
  })

  describe('pages', () => {
    it('together hold every record once', async () => {
      const pages = await Promise.all([0, 1, 2, 3, 4, 5].map((page) => titles(`?_page=${page}`)))
      expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 5, 3, 0])
      expect(pages.flat()).toEqual(Array.from({ length: total }, (_, n) => String(n).padStart(2, '0')))
    })

    it('link to first, previous, next and, where it is known, last', async () => {
      const links = async (query: string, headers = {}): Promise<Record<string, string>> => {
        const header = (await suite.call('GET', `/Movie/?${query}`, { headers })).headers.get('link') ?? ''
        return Object.fromEntries(
          [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, address, relation]) => [relation, address]),
        )
      }
      const at = (page: number): string => `/api/rest/Movie/?mov_year=198%25&_order=mov_title&_page=${page}`
      const query = (page: number): string => `mov_year=198%25&_page=${page}&_order=mov_title`
      expect(await links(query(0))).toEqual({ first: at(0), next: at(1) })
      expect(await links(query(2))).toEqual({ first: at(0), prev: at(1), next: at(3) })
      expect(await links(query(4))).toEqual({ first: at(0), prev: at(3), last: at(4) })
      expect(await links(query(9))).toEqual({ first: at(0), prev: at(8) })
      expect(await links(query(1), { prefer: 'count=exact' })).toEqual({
        first: at(0),
        prev: at(0),
        next: at(2),
        last: at(4),
      })
      expect((await links('_page=0&mov_title=nothing'))['last']).toContain('_page=0')
    })

    it('come with the number of records to who prefers it', async () => {
      const { headers } = await suite.call('GET', '/Movie?_page=0&_pagesize=20', {
        headers: { prefer: 'return=minimal, count=exact' },
      })
      expect([headers.get('x-total-count'), headers.get('preference-applied')]).toEqual(['23', 'count=exact'])
    })

    it('_pagesize alone means the first page', async () => {
      expect(await titles('?_pagesize=2')).toEqual(['00', '01'])
    })

    it.each([
      '_page=-1',
      '_page=x',
      '_page=',
      '_page=1.5',
      '_page=99999999999999999999',
      '_pagesize=0',
      '_pagesize=1001',
      '_page=0&_page=1',
    ])('refuses %s', async (query) => {
      const { status, json } = await suite.call('GET', `/Movie?${query}`)
      expect([status, json.code]).toEqual([400, 'ERR_BAD_REQUEST'])
    })
  })

  it('answers only the fields asked for, in their order', async () => {
    const { json } = await suite.call('GET', '/Movie?_fields=mov_year,mov_genre_id__gen_code&_pagesize=1')
    expect(json.map((record: object) => Object.keys(record))).toEqual([
      ['row_id', 'mov_year', 'mov_genre_id__gen_code'],
    ])
  })

  it('answers one record per line to who prefers it', async () => {
    const { text, headers } = await suite.call('GET', '/Movie?_fields=mov_title', {
      headers: { accept: 'application/x-ndjson' },
    })
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    const lines = text.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line).mov_title.slice(6, 8))).toEqual(await titles(''))
    expect(
      (await suite.call('GET', '/Movie?mov_title=nothing', { headers: { accept: 'application/x-ndjson' } })).text,
    ).toBe('')
    expect(
      (await suite.call('GET', '/Movie?_page=4', { headers: { accept: 'application/x-ndjson' } })).text.match(/\n/g),
    ).toHaveLength(3)
    expect(
      (await suite.call('GET', '/Movie', { headers: { accept: 'application/json, application/x-ndjson;q=0.5' } })).json,
    ).toHaveLength(total)
  })

  it('answers HEAD with headers only', async () => {
    for (const query of ['', '?_page=0', '?_count=true']) {
      const { status, text } = await suite.call('HEAD', `/Movie${query}`)
      expect([status, text]).toEqual([200, ''])
    }
    expect((await suite.call('HEAD', '/Movie?mov_nope=1')).status).toBe(400)
  })

  describe('POST …/_search', () => {
    const search = (json: unknown, headers: Record<string, string> = {}) =>
      suite.call('POST', '/Movie/_search', { json, headers })

    it('answers what the same search in the address answers', async () => {
      const requests: [string, Record<string, unknown>][] = [
        ['', {}],
        ['mov_year=%3E1970&_order=-mov_year', { mov_year: '>1970', _order: ['-mov_year'] }],
        [
          'mov_year=1979&mov_year=1986&_fields=mov_title,mov_year',
          { mov_year: [1979, 1986], _fields: 'mov_title,mov_year' },
        ],
        ['mov_seen=true&_page=0&_pagesize=2', { mov_seen: true, _page: 0, _pagesize: 2 }],
        ['_count=true', { _count: true }],
        [
          '_filter=mov_year%3E1970%20or%20mov_seen=true&_fields=mov_genre_id__created_by',
          { _filter: 'mov_year>1970 or mov_seen=true', _fields: ['mov_genre_id__created_by'] },
        ],
        ['_filter=mov_genre_id__gen_code=D&_count=true', { _filter: 'mov_genre_id__gen_code=D', _count: true }],
        [
          '_filter=mov_genre_id__gen_code=D&_crosstab=genres',
          { _filter: 'mov_genre_id__gen_code=D', _crosstab: 'genres' },
        ],
        ['_crosstab=genres', { _crosstab: 'genres' }],
      ]
      for (const [query, body] of requests) {
        const { status, json } = await search(body)
        expect([status, json]).toEqual([200, (await suite.call('GET', `/Movie?${query}`)).json])
      }
      expect((await suite.call('POST', '/Movie/_search?_count=true', { json: {} })).json.count).toBeGreaterThan(0)
    })

    it('takes more values than an address, and names the next page by its cursor', async () => {
      const years = Array.from({ length: 4000 }, (_, at) => 1000 + at)
      const body = { mov_year: `in (${years.join()})`, _cursor: '', _pagesize: 1 }
      const first = await search(body)
      const cursor = first.headers.get('x-next-cursor')
      expect([first.status, first.headers.get('link')]).toEqual([200, null])
      const second = await search({ ...body, _cursor: cursor })
      expect([second.status, second.json.length]).toEqual([200, 1])
      expect(second.json[0].row_id).not.toBe(first.json[0].row_id)
      expect((await search({}, { accept: 'application/x-ndjson' })).headers.get('content-type')).toContain('ndjson')
    })

    it.each<[unknown, number, string]>([
      [[], 400, 'JSON object'],
      [{ mov_year: null }, 400, '"mov_year"'],
      [{ mov_year: [] }, 400, '"mov_year"'],
      [{ mov_year: { a: 1 } }, 400, '"mov_year"'],
      [{ mov_nope: 1 }, 400, 'mov_nope'],
      [{ _nope: 1 }, 400, '_nope'],
      [{ _action: 'x' }, 400, '_action'],
      [{ _printtemplate: 'x' }, 400, '_printtemplate'],
      [{ _dryrun: true }, 400, '_dryrun'],
      [{ _page: -1 }, 400, '_page'],
      [{ mov_year: Array.from({ length: 1001 }, (_, at) => at) }, 400, 'more than 1000 parameters'],
      [{ mov_title: 'x'.repeat(1_100_000) }, 413, 'larger'],
    ])('%j is %i', async (body, status, text) => {
      const answer = await search(body)
      expect([answer.status, answer.json.error]).toEqual([status, expect.stringContaining(text)])
    })

    it('needs the rights of a search, JSON, and a POST', async () => {
      expect((await suite.call('POST', '/Movie/_search', { json: {}, user: 'nil' })).status).toBe(403)
      expect((await suite.call('POST', '/Movie/_search', { json: { mov_gross: 1 }, user: 'rob' })).status).toBe(400)
      expect((await suite.call('POST', '/Movie/_search', { body: 'mov_year=1' })).status).toBe(415)
      expect((await suite.call('GET', '/Movie/_search')).status).toBe(405)
    })
  })

  describe('many records', () => {
    const many = 2500
    beforeAll(async () => {
      await suite.service.transaction(async (service) => {
        for (let n = 0; n < many; n++)
          await service.create(suite.ann, 'Genre', { gen_code: `many ${n}`, gen_name: 'x'.repeat(100) })
      })
    })

    it('come as one whole array, in several pieces', async () => {
      const { json, headers } = await suite.call('GET', '/Genre?gen_code=many%25')
      expect(json).toHaveLength(many)
      expect(new Set(json.map(({ row_id: id }: { row_id: string }) => id)).size).toBe(many)
      expect(headers.get('content-length')).toBeNull()
    })

    it('come as lines', async () => {
      const { text } = await suite.call('GET', '/Genre?gen_code=many%25', {
        headers: { accept: 'application/x-ndjson' },
      })
      expect(text.split('\n').filter((line) => line !== '' && JSON.parse(line))).toHaveLength(many)
    })
  })
}
