import { beforeAll, describe, expect, it } from 'vitest'
import type { Suite } from './suite.js'

/** Pivot tables. Bodies are compared as texts: they must not depend on the store. */
export function testCrosstabs(suite: Suite): void {
  beforeAll(async () => {
    await suite.service.transaction(async (service) => {
      const genre = (code: string, name: string) =>
        service.create(suite.ann, 'Genre', { gen_code: code, gen_name: name })
      const genres = [await genre('a', 'a'), await genre('A', 'A'), await genre('E', 'é')]
      const movies = [
        [0, 'short', true, '2024-12-31', '0.1', '999999999999999999', 2024],
        [0, 'feature', true, '2024-12-01', '0.2', '999999999999999999', 2023],
        [1, 'feature', false, '2025-01-01', '-0.3', 1, 2023],
        [1, '', false, '', null, null, null],
        [2, 'short', false, '2025-02-28', '9999999999999999999999999999999999.9999', 5, 2022],
        [3, 'short', true, '2025-02-01', '0.0001', -5, null],
      ]
      for (const [at, kind, seen, date, gross, big, year] of movies) {
        await service.create(suite.ann, 'Movie', {
          mov_title: `${String(at)} ${String(date)}`,
          mov_genre_id: genres[at as number]?.row_id ?? '',
          mov_kind: kind,
          mov_seen: seen,
          mov_date: date,
          mov_gross: gross,
          mov_big: big,
          mov_year: year,
        })
      }
    })
  })

  async function body(query: string, user = 'ann'): Promise<string> {
    const { status, text, headers } = await suite.call('GET', `/Movie/?${query}`, { user })
    expect(status, text).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    return text
  }

  const axis = '"name":"mov_genre_id__gen_name","label":"gen_name","field":"mov_genre_id__gen_name","by":null'

  it('answers lines with the number of records when nothing else is asked for', async () => {
    expect(await body('_crosstab=genres')).toBe(
      `{"name":"genres","lines":[{${axis}}],` +
        '"columns":[],"values":[{"name":"count","label":"count","function":"count","field":null}],' +
        '"rows":[[[],[]],[[""],[1]],[["A"],[2]],[["a"],[2]],[["é"],[1]],[[],[6]]],"totals":[6]}',
    )
  })

  it('answers subtotals and totals of exact sums, enums in the order of their list', async () => {
    const { rows, totals } = JSON.parse(await body('_crosstab=years'))
    const large = '9999999999999999999999999999999999.9999'
    expect(rows).toStrictEqual([
      [[], [''], ['2024'], ['2025'], []],
      [['', false], [null, 1], null, null, [null, 1]],
      [[''], [null, 1], null, null, [null, 1]],
      [['short', false], null, null, [large, 1], [large, 1]],
      [['short', true], null, [0.1, 1], [0.0001, 1], [0.1001, 2]],
      [
        ['short'],
        null,
        [0.1, 1],
        ['10000000000000000000000000000000000', 2],
        ['10000000000000000000000000000000000.1', 3],
      ],
      [['feature', false], null, null, [-0.3, 1], [-0.3, 1]],
      [['feature', true], null, [0.2, 1], null, [0.2, 1]],
      [['feature'], null, [0.2, 1], [-0.3, 1], [-0.1, 2]],
      [
        [],
        [null, 1],
        [0.3, 2],
        ['9999999999999999999999999999999999.7', 3],
        ['10000000000000000000000000000000000', 6],
      ],
    ])
    expect(totals).toStrictEqual(['10000000000000000000000000000000000', 6])
  })

  it('answers every function, by month, as a flat list', async () => {
    expect(await body('_crosstab=numbers&_crosstabcubes=true')).toBe(
      `[${[
        '{"mov_date_month":"","sum":null,"avg":null,"min":null,"max":null}',
        '{"mov_date_month":"2024-12","sum":"1999999999999999998","avg":2023.5,"min":0.1,"max":"2024-12-31"}',
        '{"mov_date_month":"2025-01","sum":1,"avg":2023,"min":-0.3,"max":"2025-01-01"}',
        '{"mov_date_month":"2025-02","sum":0,"avg":2022,"min":0.0001,"max":"2025-02-28"}',
      ].join()}]`,
    )
  })

  it('calls a single value of the flat list "value"', async () => {
    expect(await body('_crosstab=genres&_crosstabcubes=true&mov_seen=true')).toBe(
      '[{"mov_genre_id__gen_name":"","value":1},{"mov_genre_id__gen_name":"a","value":2}]',
    )
  })

  it('has no use for a cursor, and says so', async () => {
    const { status, json } = await suite.call('GET', '/Movie/?_crosstab=genres&_cursor=')
    expect([status, json.error]).toEqual([400, expect.stringContaining('has no meaning here (crosstab)')])
  })

  it.each([
    ['genres', '_pagesize=3', [4, 0, 1, 3]],
    ['years', '_page=1&_pagesize=2', [5, 1, 2, 2]],
    ['years', 'mov_title=nothing', [0, 0, 0, 5]],
    ['years', '_crosstabcubes=true&mov_kind=short', [2, 0, 0, 5]],
  ])('counts lines of %s without subtotals, for the number of pages: %s', async (name, query, numbers) => {
    const counted = JSON.parse(await body(`_crosstab=${name}&_count=true&${query}`))
    expect([counted.count, counted.page, counted.maxpage, counted.pagesize]).toStrictEqual(numbers)
  })

  it.each(['', '&_crosstabcubes=true', '&_order=-count'])('all pages together are the whole table%s', async (query) => {
    const rowsOf = (text: string) => {
      const { rows = JSON.parse(text) } = JSON.parse(text)
      return rows as unknown[]
    }
    const whole = await body(`_crosstab=years${query}`)
    const rows: unknown[] = []
    for (const page of [0, 1, 2, 3]) {
      const text = await body(`_crosstab=years${query}&_pagesize=2&_page=${page}`)
      const found = rowsOf(text)
      if (query.includes('cubes')) rows.push(...found)
      else {
        expect({ ...JSON.parse(text), rows: [] }).toStrictEqual({ ...JSON.parse(whole), rows: [] })
        if (page === 0) rows.push(found[0])
        expect(found[0]).toStrictEqual(rows[0])
        rows.push(...found.slice(1))
        if (page === 3) expect(found).toHaveLength(1)
      }
    }
    expect(rows).toStrictEqual(rowsOf(whole))
  })

  it('a page has links to the others, up to the last', async () => {
    const { headers } = await suite.call('GET', '/Movie/crosstab:genres?_pagesize=3&_order=-count')
    const link = (page: number, relation: string) =>
      expect.stringContaining(`/Movie/crosstab:genres?_pagesize=3&_order=-count&_page=${page}>; rel="${relation}"`)
    expect(headers.get('link')?.split(', ')).toEqual([link(0, 'first'), link(1, 'next'), link(1, 'last')])
  })

  it('sorts lines by themselves and by values, subtotals with their lines', async () => {
    const placesOf = async (query: string) =>
      (JSON.parse(await body(query)).rows as unknown[][]).slice(1).map(([place]) => place)
    expect(await placesOf('_crosstab=genres&_order=-mov_genre_id__gen_name')).toStrictEqual([
      ['é'],
      ['a'],
      ['A'],
      [''],
      [],
    ])
    expect(await placesOf('_crosstab=genres&order__count=-1&order__mov_genre_id__gen_name=-2')).toStrictEqual([
      ['a'],
      ['A'],
      ['é'],
      [''],
      [],
    ])
    expect(await placesOf('_crosstab=years&_order=-mov_seen,sum_mov_gross')).toStrictEqual([
      ['', false],
      [''],
      ['feature', true],
      ['feature', false],
      ['feature'],
      ['short', true],
      ['short', false],
      ['short'],
      [],
    ])
    expect(await placesOf('_crosstab=numbers&_order=-max&_pagesize=1')).toStrictEqual([['2025-02']])
    expect(await placesOf('_crosstab=numbers&_order=mov_date&_pagesize=1')).toStrictEqual([['']])
  })

  it('counts what a search with the same filters finds', async () => {
    const filtered = await body('_crosstab=genres&mov_genre_id__gen_name=a&mov_date=%3E2024-12-01')
    expect(JSON.parse(filtered).rows).toStrictEqual([
      [[], []],
      [['a'], [1]],
      [[], [1]],
    ])
    const both = "_filter=mov_genre_id__gen_name = 'a' and mov_date > 2024-12-01 or mov_title = 'nothing'"
    expect(await body(`_crosstab=genres&${encodeURI(both)}`)).toBe(filtered)
    expect(await body('_crosstab=genres&_crosstabcubes=true&mov_title=nothing')).toBe('[]')
    expect(JSON.parse(await body('_crosstab=genres&mov_title=nothing')).totals).toStrictEqual([0])
  })

  it('answers what the user may see', async () => {
    expect(JSON.parse(await body('_crosstab=genres', 'rob')).totals).toStrictEqual([6])
    expect((await suite.call('GET', '/Movie/?_crosstab=years', { user: 'rob' })).status).toBe(404)
    expect((await suite.call('GET', '/Movie/?_crosstab=genres', { user: 'nil' })).status).toBe(403)
  })

  it('HEAD answers the headers only', async () => {
    const { status, text, headers } = await suite.call('HEAD', '/Movie/?_crosstab=genres')
    expect([status, text]).toEqual([200, ''])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(100)
  })

  describe('refuses', () => {
    it.each([
      ['_crosstab=nothing', 404, 'Pivot table "nothing" of "Movie" does not exist'],
      ['_crosstab=', 400, 'Parameter "_crosstab" is empty; give a name.'],
      ['_crosstab=constructor', 404, 'Pivot table "constructor"'],
      ['_crosstab=genres&_crosstab=years', 400, '"_crosstab" is given more than once'],
      ['_crosstab=genres&_crosstabcubes=maybe', 400, '"_crosstabcubes" is "maybe"'],
      ['_crosstabcubes=true', 400, '"_crosstabcubes" has no meaning here (search)'],
      ['_crosstab=genres&mov_other=1', 400, 'no field "mov_other"'],
      ['_crosstab=genres&mov_year=abc', 400, 'mov_year'],
      [
        '_crosstab=genres&_order=mov_title',
        400,
        'cannot be sorted by "mov_title", only by "mov_genre_id__gen_name", "count"',
      ],
      ['_crosstab=genres&_page=-1', 400, '_page'],
      ['_crosstab=genres&_pagesize=1001', 400, 'page size'],
      ['_crosstab=genres&_count=true&_pagesize=0', 400, 'page size'],
    ])('?%s', async (query, status, message) => {
      const answer = await suite.call('GET', `/Movie/?${query}`)
      expect([answer.status, answer.json.status]).toEqual([status, status])
      expect(answer.json.error).toContain(message)
    })

    it('a pivot table of an object that has none', async () => {
      expect((await suite.call('GET', '/Genre/?_crosstab=genres')).status).toBe(404)
    })
  })
}
