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

  it.each(['_page=0', '_pagesize=5', '_order=mov_title', 'order__mov_title=1', '_count=true', '_cursor='])(
    'has no use for %s, and says so',
    async (parameter) => {
      const { status, json } = await suite.call('GET', `/Movie/?_crosstab=genres&${parameter}`)
      expect([status, json.error]).toEqual([400, expect.stringContaining('has no meaning here (crosstab)')])
    },
  )

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
      ['_crosstab=', 404, 'Pivot table "" of "Movie"'],
      ['_crosstab=constructor', 404, 'Pivot table "constructor"'],
      ['_crosstab=genres&_crosstab=years', 400, '"_crosstab" is given more than once'],
      ['_crosstab=genres&_crosstabcubes=maybe', 400, '"_crosstabcubes" is "maybe"'],
      ['_crosstabcubes=true', 400, '"_crosstabcubes" has no meaning here (search)'],
      ['_crosstab=genres&mov_other=1', 400, 'no field "mov_other"'],
      ['_crosstab=genres&mov_year=abc', 400, 'mov_year'],
      ['_crosstab=genres&_count=true', 400, '_count'],
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
