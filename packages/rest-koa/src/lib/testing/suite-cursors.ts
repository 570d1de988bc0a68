import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from './caller.js'
import type { Suite } from './suite.js'

/** Pages by cursor. */
export function testCursors(suite: Suite): void {
  const days = ['2026-01-01', '', '2026-01-02', '2026-01-01', '', '2026-01-03', '2026-01-01', '2026-01-02']

  beforeAll(async () => {
    for (const [at, ast_bought] of days.entries())
      await suite.call('POST', '/Asset', { json: { ast_site: 'cur', ast_number: at, ast_bought, ast_count: at % 3 } })
  })

  /** All pages from an address on, by their links. */
  async function walk(path: string, onPage?: (answer: Answer) => Promise<void>): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let next: string | undefined = path; next;) {
      const answer: Answer = await suite.call('GET', next)
      expect(answer.status, answer.text).toBe(200)
      answers.push(answer)
      await onPage?.(answer)
      const link = answer.headers.get('link')
      next = link?.match(/^<\/api\/rest([^>]*)>; rel="next"$/)?.[1]
      expect(link === null, String(link)).toBe(next === undefined)
      expect(answer.headers.get('x-next-cursor')).toBe(
        next ? new URL(next, 'http://x').searchParams.get('_cursor') : null,
      )
    }
    return answers
  }

  const numbers = (answers: readonly Answer[]): number[] =>
    answers.flatMap(({ json }) => (json as { ast_number: number }[]).map(({ ast_number: number }) => number))

  it.each([
    ['', [5, 2, 7, 0, 3, 6, 1, 4]],
    // Records of the same day come in the order of their ids, turned round with the day.
    ['&_order=-ast_bought', [5, 7, 2, 6, 3, 0, 4, 1]],
    ['&_order=ast_bought', [1, 4, 0, 3, 6, 2, 7, 5]],
    ['&_order=-ast_bought,ast_number', [5, 2, 7, 0, 3, 6, 1, 4]],
    ['&_order=ast_bought,-ast_count,-row_id', [4, 1, 6, 3, 0, 2, 7, 5]],
    ['&order__ast_count=-1&order__ast_number=2', [2, 5, 1, 4, 7, 0, 3, 6]],
  ])(
    'with the order "%s" every record comes once, in pages of any size, the last one without a link',
    async (order, expected) => {
      for (const size of [1, 3, 8, 50]) {
        const answers = await walk(`/Asset?ast_site=cur${order}&_pagesize=${size}&_cursor=`)
        expect(numbers(answers), `${size} per page`).toEqual(expected)
        expect(answers).toHaveLength(Math.ceil(8 / size))
      }
    },
  )

  it('takes the page size of the object, filters, other fields and NDJSON', async () => {
    const answers = await walk(
      '/Asset?_cursor=&_pagesize=3&ast_site=cur&ast_number=%3E%202&_fields=ast_number&_order=ast_bought',
    )
    expect(numbers(answers)).toEqual([4, 3, 6, 7, 5])
    expect(Object.keys(answers[0]?.json[0])).toEqual(['row_id', 'ast_number'])
    const lines = await suite.call('GET', '/Movie?_cursor=', { headers: { accept: 'application/x-ndjson' } })
    expect([lines.status, lines.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  })

  it('stays in step while records come and go', async () => {
    const site = 'moving'
    const ids: string[] = []
    for (let number = 0; number < 12; number++)
      ids.push((await suite.call('POST', '/Asset', { json: { ast_site: site, ast_number: number * 10 } })).json.row_id)
    let page = 0
    const answers = await walk(`/Asset?ast_site=${site}&_order=ast_number&_pagesize=3&_cursor=`, async (answer) => {
      page++
      // The record that the cursor stands at goes, and others come before and after it.
      await suite.call('DELETE', `/Asset/${answer.json.at(-1).row_id}`)
      await suite.call('POST', '/Asset', { json: { ast_site: site, ast_number: page * 30 - 25 } })
      await suite.call('POST', '/Asset', { json: { ast_site: site, ast_number: page * 30 + 200 } })
    })
    const found = numbers(answers)
    expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b))
    expect(found).toEqual(expect.arrayContaining(ids.map((_, at) => at * 10)))
    expect(found).toEqual(expect.arrayContaining([230, 260]))
  })

  it('returns the number of all records when asked to', async () => {
    const answer = await suite.call('GET', '/Asset?ast_site=cur&_cursor=&_pagesize=2', {
      headers: { prefer: 'count=exact' },
    })
    expect(answer.headers.get('x-total-count')).toBe('8')
  })

  describe('refuses', () => {
    async function cursor(path: string): Promise<string> {
      return (await suite.call('GET', path)).headers.get('x-next-cursor') as string
    }
    const refused = async (path: string, text: RegExp) => {
      const answer = await suite.call('GET', path)
      expect([answer.status, answer.json.code], path).toEqual([400, 'ERR_BAD_REQUEST'])
      expect(answer.json.error).toMatch(text)
    }

    it('a cursor of another order, another object, or none at all', async () => {
      const good = await cursor('/Asset?_cursor=&_pagesize=1&_order=ast_count')
      await refused(`/Asset?_cursor=${good}&_order=-ast_count`, /another order/)
      await refused(`/Asset?_cursor=${good}`, /another order/)
      await refused(`/Movie?_cursor=${good}&_order=mov_year`, /another object/)
      for (const bad of ['x', '0', 'bnVsbA', good.slice(0, -3), `${good}AAAA`, 'a'.repeat(5000)])
        await refused(`/Asset?_cursor=${bad}&_order=ast_count`, /none that a search gave/)
    })

    it('values that no record has', async () => {
      const good = await cursor('/Asset?_cursor=&_pagesize=1&_order=ast_bought')
      const parts = JSON.parse(Buffer.from(good, 'base64url').toString())
      for (const values of [
        ['2026-13-01', '1'],
        ['x', '1'],
        [5, '1'],
        ['', ''],
        ['', 'x'],
        [null, ''],
        ['2026-01-01'],
        [['a'], '1'],
      ]) {
        const text = Buffer.from(JSON.stringify([...parts.slice(0, -1), values])).toString('base64url')
        await refused(`/Asset?_cursor=${text}&_order=ast_bought`, /none that a search gave/)
      }
    })

    it('other ways of paging beside it, a size out of range, fields that cannot be sorted', async () => {
      await refused('/Asset?_cursor=&_page=0', /not both/)
      await refused('/Asset?_cursor=&_count=true', /_count/)
      await refused('/Asset?_cursor=&_cursor=', /more than once/)
      await refused('/Asset?_cursor=&_pagesize=1001', /1 to 1000/)
      await refused('/Asset?_cursor=&_order=ast_file', /cannot be sorted/)
    })

    it('fields that the user does not see', async () => {
      const answer = await suite.call('GET', '/Movie?_cursor=&_order=mov_gross', { user: 'rob' })
      expect(answer.status).toBe(400)
      expect((await suite.call('GET', '/Movie?_cursor=', { user: 'nil' })).status).toBe(403)
    })
  })
}
