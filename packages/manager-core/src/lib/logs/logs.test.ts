import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { readMoment } from '../domain/moment.js'
import { followLog } from '../runtime/log-reader.js'
import { causeOf, reasonIn } from './cause-of.js'
import { createLogFilter } from './log-filter.js'
import { readLogEntry } from './read-log-entry.js'

const at = Date.UTC(2026, 10, 22, 14, 3, 21)
const json = (fields: object) => JSON.stringify({ level: 30, time: at, ...fields })
const request = (url: string, more: object = {}) =>
  json({
    address: '127.0.0.1',
    requestId: 'r1',
    method: 'GET',
    url,
    status: 200,
    bytes: 4,
    durationMs: 7.443,
    msg: 'request',
    ...more,
  })
const health = request('/health')

describe('readLogEntry()', () => {
  test.each([
    [
      'a request',
      request('/shop/api/rest/Order/?_page=0', { user: 'admin', userAgent: 'curl/8' }),
      'info',
      'GET /shop/api/rest/Order/?_page=0 200 7.4 ms admin',
    ],
    [
      'a request that was broken off',
      request('/x', { aborted: true, durationMs: 12_345 }),
      'info',
      'GET /x 200 12 s (broken off)',
    ],
    [
      'a message with fields',
      json({ level: 40, msg: 'slow', rows: 3, query: { a: 1 } }),
      'warn',
      'slow rows=3 query={"a":1}',
    ],
    [
      'an error',
      json({ level: 50, msg: 'failed', err: { message: 'no such table', stack: '' } }),
      'error',
      'failed: no such table',
    ],
    ['an error whose message is its own', json({ level: 50, msg: 'x', err: { message: 'x' } }), 'error', 'x'],
    ['a level of its own', json({ level: 35, msg: 'x' }), 'info', 'x'],
    [
      'what the supervisor says',
      '2026-11-22T14:03:21Z steward: The application ended with code 1.',
      'warn',
      'The application ended with code 1.',
    ],
    ['text', 'TypeError: x is not a function', undefined, 'TypeError: x is not a function'],
    ['JSON that is no line of a log', '{"level":"x","time":1}', undefined, '{"level":"x","time":1}'],
    ['JSON that is cut off', '{"level":30,', undefined, '{"level":30,'],
    ['a time that is none', '{"level":30,"time":1e300}', undefined, '{"level":30,"time":1e300}'],
  ])('%s', (_, line, level, text) => {
    expect(readLogEntry(line)).toMatchObject({
      level,
      text,
      time: level === undefined ? undefined : at,
      isHealthCheck: false,
    })
  })

  it('gives what else a line says by name, beside its message', () => {
    const of = (line: string) => {
      const { message, fields } = readLogEntry(line)
      return [message, Object.fromEntries(fields)]
    }
    expect(of(request('/x', { userAgent: 'curl/8' }))).toEqual([
      'GET /x 200 7.4 ms',
      { address: '127.0.0.1', requestId: 'r1', bytes: '4', userAgent: 'curl/8' },
    ])
    expect(of(json({ msg: 'saved', count: 2, by: 'ann' }))).toEqual(['saved', { count: '2', by: 'ann' }])
    expect(of('plain text')).toEqual(['plain text', {}])
  })

  it('gives the places that an error came from, without its message again', () => {
    const stack = 'Error: a\nb\n    at f (x.ts:1:2)\n    at g (y.ts:3:4)'
    expect(readLogEntry(json({ level: 50, msg: 'a\nb', err: { message: 'a\nb', stack } })).details).toEqual([
      'at f (x.ts:1:2)',
      'at g (y.ts:3:4)',
    ])
  })

  it("knows the manager's own health checks from those of others, and from those that failed", () => {
    const of = (line: string) => readLogEntry(line).isHealthCheck
    expect(of(health)).toBe(true)
    expect(
      [{ status: 503 }, { userAgent: 'curl/8' }, { address: '10.0.0.1' }].map((more) => of(request('/health', more))),
    ).toEqual([false, false, false])
  })
})

describe('createLogFilter()', () => {
  const lines = [
    json({ time: at - 10_000, level: 50, msg: 'old error' }),
    '    at old (x.ts:1:1)',
    health,
    request('/one'),
    json({ level: 40, msg: 'Careful' }),
    'TypeError: boom',
  ]
  const kept = (options: Parameters<typeof createLogFilter>[0]) =>
    lines.filter(createLogFilter(options)).map((line) => lines.indexOf(line))

  it('leaves health checks out unless they are wanted', () => {
    expect(kept({})).toEqual([0, 1, 3, 4, 5])
    expect(kept({ healthChecks: true })).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('goes by level, time and text; lines without a level pass, those without a time go with the one before', () => {
    expect(kept({ level: 'warn' })).toEqual([0, 1, 4, 5])
    expect(kept({ since: at })).toEqual([3, 4, 5])
    expect(kept({ text: 'careful' })).toEqual([4])
    expect(kept({ text: 'get /one 200' })).toEqual([3])
    expect(kept({ text: '"requestid":"r1"' })).toEqual([3])
  })
})

describe('causeOf()', () => {
  it('is what was printed after the last ordinary line, each once, without health checks', () => {
    const broken = ['app-server: the application is not right:', '  app.yaml:2:1 Flow sequence must end with a ]']
    const ended = '2026-11-22T14:03:21Z steward: The application ended with code 1; it is started again in 1 s.'
    const log = [
      'Try in a shell:',
      '  curl x',
      '',
      health,
      json({ msg: 'SIGTERM: finishing' }),
      ...broken,
      ended,
      ...broken,
      ended,
    ]
    expect(causeOf(log).split('\n')).toEqual(broken)
  })

  it('is not what a shell says about a process that was ended', () => {
    const reason = 'app-server: /srv/app has no app.yaml, so it is not the folder of an application.'
    for (const said of [
      'Terminated',
      'Killed',
      '/bin/sh: 12: Terminated',
      '/bin/sh: line 12:  4711 Terminated   node x',
    ])
      expect(reasonIn(causeOf([json({ msg: 'starting' }), reason, said]))).toBe(reason)
    expect(causeOf([json({ msg: 'starting' }), 'Terminated'])).toBe('Terminated')
  })

  it('is the end itself when nothing says why', () => {
    const at = '2026-11-22T14:03:21Z steward: '
    const ended = 'The application ended with code 3; it is started again in 1 s.'
    expect(causeOf([json({ msg: 'starting' }), at + ended])).toBe(ended)
    const limit = 'The application ran out of its memory limit of 160 MB; it is started again in 1 s.'
    expect(causeOf([json({ msg: 'starting' }), at + ended, at + limit])).toBe(limit)
  })

  it('has the error and the place it came from, and not all of a stack', () => {
    const crash = [
      'file:///app/x.ts:3',
      "throw new Error('boom')",
      '      ^',
      '',
      'Error: boom',
      '    at a (x.ts:3:7)',
      '    at b (y.ts:1:1)',
      '',
      'Node.js v24.21.0',
    ]
    const logged = json({
      level: 60,
      msg: 'gone',
      err: { message: 'boom', stack: 'Error: boom\n    at c (z.ts:1:1)\n    at d' },
    })
    expect(
      causeOf([json({ msg: 'starting' }), ...crash, logged, request('/health', { status: 503 })]).split('\n'),
    ).toEqual([
      'file:///app/x.ts:3',
      "throw new Error('boom')",
      'Error: boom',
      '    at a (x.ts:3:7)',
      'gone: boom',
      '    at c (z.ts:1:1)',
    ])
  })

  it('is the last lines, readable, when none stands out; at most eight', () => {
    expect(causeOf([1, 2, 3, 4].map((one) => json({ msg: `line ${one}` })))).toBe('line 2\nline 3\nline 4')
    expect(causeOf(Array.from({ length: 20 }, (_, one) => `line ${one}`)).split('\n')).toHaveLength(8)
    expect(causeOf([])).toBe('')
  })
})

describe('followLog() with a filter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-logs-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('finds what is wanted as far back as it is, over copies, and counts that', async () => {
    const file = join(folder, 'application.log')
    const noise = Array.from({ length: 500 }, (_, one) => `noise ${one}`)
    const write = (name: string, lines: readonly string[]) => writeFileSync(name, `${lines.join('\n')}\n`)
    write(`${file}.1`, ['wanted 1', 'wanted 2', ...noise])
    write(file, [...noise, 'wanted 3', 'noise'])
    const of = async (lines: number) => {
      const found: string[] = []
      const filter = () => (line: string) => line.startsWith('wanted')
      for await (const line of followLog(file, { lines, filter })) found.push(line)
      return found
    }
    expect(await of(2)).toEqual(['wanted 2', 'wanted 3'])
    expect(await of(10)).toEqual(['wanted 1', 'wanted 2', 'wanted 3'])
    expect(await of(0)).toEqual([])
  })
})

describe('followLog() over a rotation', () => {
  /** Follows a log from its start; what is written must have been read before the next step of a rotation. */
  async function following(copies: Readonly<Record<string, string>> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'steward-logs-'))
    const file = join(folder, 'application.log')
    const end = new AbortController()
    const lines: string[] = []
    for (const [name, content] of Object.entries({ '': 'old\n', ...copies })) writeFileSync(file + name, content)
    const done = (async () => {
      for await (const line of followLog(file, { lines: 0, follow: true, signal: end.signal })) lines.push(line)
    })()
    onTestFinished(async () => {
      end.abort()
      await done
      rmSync(folder, { recursive: true })
    })
    const write = async (line: string) => {
      appendFileSync(file, `${line}\n`)
      await expect.poll(() => lines.at(-1)).toBe(line)
    }
    // It starts at the end, wherever that is when it comes to it.
    await expect.poll(() => (appendFileSync(file, 'begin\n'), lines.length), { interval: 50 }).toBeGreaterThan(0)
    await write('first')
    lines.splice(0)
    return { file, lines, write }
  }

  it('gives each line once, when it looks between the copy and the cut', async () => {
    const { file, lines, write } = await following()
    await write('a')
    copyFileSync(file, `${file}.new`)
    appendFileSync(file, 'b\n')
    appendFileSync(`${file}.new`, 'b\n')
    renameSync(`${file}.new`, `${file}.1`)
    await write('c')
    truncateSync(file)
    await write('d')
    await write('e')
    expect(lines).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('gives each line once, when it looks while copies get new numbers', async () => {
    const { file, lines, write } = await following({ '.1': 'older\n' })
    await write('a')
    renameSync(`${file}.1`, `${file}.2`)
    await write('b')
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
    await write('c')
    expect(lines).toEqual(['a', 'b', 'c'])
  })
})

describe('readMoment()', () => {
  const now = new Date(2026, 10, 22, 14, 3, 21)

  test.each([
    ['90s', new Date(2026, 10, 22, 14, 1, 51)],
    ['10m', new Date(2026, 10, 22, 13, 53, 21)],
    ['14:00', new Date(2026, 10, 22, 14, 0)],
    ['23:10', new Date(2026, 10, 21, 23, 10)],
    ['2026-11-20', new Date(2026, 10, 20)],
    ['2026-11-20 07:30', new Date(2026, 10, 20, 7, 30)],
    ['2026-11-20T07:30:00Z', new Date(Date.UTC(2026, 10, 20, 7, 30))],
  ])('%s', (text, moment) => {
    expect(new Date(readMoment(text, now))).toEqual(moment)
  })

  test.each(['', 'soon', '25:00', '10', '2026-13-40', '-5m'])('%j is refused with what may be written', (text) => {
    expect(() => readMoment(text, now)).toThrow(
      expect.objectContaining({ code: 'ERR_USAGE', help: expect.stringContaining('10m') }),
    )
  })
})

describe('reasonIn()', () => {
  it.each([
    ['the line of the error', '/app/main.js:3\n  throw x\nSyntaxError: bad\n    at f (x.js:1:2)', 'SyntaxError: bad'],
    [
      'the line that names what must be otherwise',
      'app.yaml:1:10: [ must end with ]\nstopped',
      'app.yaml:1:10: [ must end with ]',
    ],
    ['else the last line', 'one\ntwo', 'two'],
    ['nothing of nothing', '', undefined],
  ])('gives %s', (_, cause, reason) => {
    expect(reasonIn(cause)).toBe(reason)
  })
})
