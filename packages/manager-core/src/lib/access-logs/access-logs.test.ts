import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { goAccessReport, hasGoAccess } from './goaccess.js'
import { readRequests } from './read-requests.js'
import { summaryHtml, summaryText } from './report.js'
import { summarise } from './summarise.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-access-logs-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const noon = Date.UTC(2026, 10, 20, 12)

/** A line as the application server logs a request. */
function line(values: object = {}): string {
  const { time = noon, ...others } = values as { time?: number }
  const request = {
    level: 30,
    time,
    address: '10.0.0.1',
    user: 'alice',
    method: 'GET',
    url: '/api/rest/Task/?tsk_title=x',
    status: 200,
    bytes: 100,
    durationMs: 4,
    msg: 'request',
  }
  return `${JSON.stringify({ ...request, ...others })}\n`
}

describe('requests of an instance', () => {
  it("are counted without the manager's own health checks, unless these fail", async () => {
    const check = { url: '/health', address: '127.0.0.1', user: undefined }
    writeFileSync(join(folder, 'application.log'), line(check) + line({ ...check, status: 503 }) + line())
    const requests: [string, number][] = []
    for await (const { url, status } of readRequests(folder)) requests.push([url, status])
    expect(requests).toEqual([
      ['/health', 503],
      ['/api/rest/Task/?tsk_title=x', 200],
    ])
  })

  it('are read from the oldest file to the newest, other lines are passed over', async () => {
    writeFileSync(
      join(folder, 'application.log'),
      `${line({ url: '/3' })}Server is listening\n{"msg":"request"}\n{"broken`,
    )
    writeFileSync(join(folder, 'application.log.1'), line({ url: '/2' }))
    writeFileSync(join(folder, 'application.log.10'), line({ url: '/1' }))
    writeFileSync(join(folder, 'application.log.old'), line({ url: '/0' }))
    const urls: string[] = []
    for await (const { url } of readRequests(folder)) urls.push(url)
    expect(urls).toEqual(['/1', '/2', '/3'])
  })

  it('are counted by day, path, visitor and user', async () => {
    const lines = [
      line(),
      line({ url: '/api/rest/Task/?tsk_title=y', durationMs: 8 }),
      line({ url: '/api/rest/Task/7', status: 404, address: '10.0.0.2', user: undefined }),
      line({ time: noon + 24 * 3_600_000, status: 500, durationMs: 2000 }),
    ]
    writeFileSync(join(folder, 'application.log'), lines.join(''))
    expect(await summarise(readRequests(folder))).toEqual({
      requests: 4,
      from: '2026-11-20T12:00:00.000Z',
      to: '2026-11-21T12:00:00.000Z',
      bytes: 400,
      visitors: 2,
      durationMs: { average: 504, p50: expect.closeTo(4, 0), p95: 2000, max: 2000 },
      statuses: { '2xx': 2, '4xx': 1, '5xx': 1 },
      paths: [
        { name: '/api/rest/Task/', requests: 3, errors: 1, averageMs: 670.7 },
        { name: '/api/rest/Task/7', requests: 1, errors: 1, averageMs: 4 },
      ],
      visitorsByRequests: [
        { name: '10.0.0.1', requests: 3, errors: 1, averageMs: 670.7 },
        { name: '10.0.0.2', requests: 1, errors: 1, averageMs: 4 },
      ],
      users: [{ name: 'alice', requests: 3, errors: 1, averageMs: 670.7 }],
      days: [
        { name: '2026-11-20', requests: 3, errors: 1, averageMs: 5.3 },
        { name: '2026-11-21', requests: 1, errors: 1, averageMs: 2000 },
      ],
      hours: [
        { name: '2026-11-20T12', requests: 3, errors: 1, averageMs: 5.3 },
        { name: '2026-11-21T12', requests: 1, errors: 1, averageMs: 2000 },
      ],
    })
  })

  it('of a million different paths do not fill the memory: the rest is counted together', async () => {
    async function* requests() {
      for (let n = 0; n < 20_000; n++)
        yield {
          time: noon,
          address: '-',
          user: undefined,
          method: 'GET',
          url: `/${n}`,
          status: 200,
          bytes: 0,
          durationMs: 1,
          referrer: undefined,
          userAgent: undefined,
        }
    }
    const { paths } = await summarise(requests())
    expect(paths[0]).toMatchObject({ name: '(others)', requests: 10_000 })
    expect(paths).toHaveLength(20)
  })
})

describe('the report', () => {
  it('of an instance without requests say so', async () => {
    expect(summaryText('demo', await summarise(readRequests(join(folder, 'none'))))).toBe(
      'The logs of "demo" contain no requests.',
    )
  })

  it('as text names what was asked most', async () => {
    writeFileSync(join(folder, 'application.log'), line() + line() + line({ status: 403, url: '/io' }))
    const text = summaryText('demo', await summarise(readRequests(folder)))
    expect(text).toContain('3 requests to "demo" from 2026-11-20T12:00:00.000Z')
    expect(text).toContain('       2  /api/rest/Task/ (4 ms)')
    expect(text).toContain('       1  /io (4 ms, 1 refused or failed)')
  })

  it('as HTML escapes what clients sent', async () => {
    writeFileSync(join(folder, 'application.log'), line({ url: '/<script>alert(1)</script>', user: '"><img src=x>' }))
    const html = summaryHtml('demo', await summarise(readRequests(folder)))
    expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
    expect(html).not.toMatch(/<script|<img/)
  })

  it('is made by GoAccess where it is installed', async ({ skip }) => {
    const missing = toolIsMissing('goaccess')
    skip(missing !== undefined, missing)
    writeFileSync(join(folder, 'application.log'), line() + line({ url: '/secret?token=abc', status: 404 }))
    const html = await goAccessReport(readRequests(folder), 'demo')
    expect(html).toMatch(/"total_requests": 2\b/)
    expect(html).toMatch(/"failed_requests": 0\b/)
    expect(html).not.toContain('token=abc')
  })

  it('is the built-in one where GoAccess is not in PATH', async () => {
    expect(await hasGoAccess({ PATH: folder })).toBe(false)
  })
})
