import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { actions, type Json } from '@steward/manager-core'
import { describe, expect, test } from 'vitest'
import { surroundingsOf } from '../surroundings.js'
import { record } from './record.js'
import { createLink } from './link.js'
import { logLine } from './log.js'
import { createPaint, plainPaint } from './paint.js'
import { resultText } from './result.js'
import { table } from './table.js'
import { cut, lineOf, printable, widthOf, wrapped } from './text.js'
import { createTimes, plainTimes, timesIn } from './times.js'

describe('text', () => {
  test.each([
    ['demo', 4],
    ['Irène', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍🔬x', 3],
    ['✔✖▲', 3],
  ])('%j takes its columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  test('what a terminal would obey is taken out, line ends and tabs only where a line is wanted', () => {
    expect(printable('a\u001b[31mb\u001b]0;title\u0007\u009bc\r\n\td')).toBe('ab\n\td')
    expect(lineOf('a \n b\tc')).toBe('a b c')
    expect(lineOf([1, true, null, { a: 'x', b: [2] }])).toBe('1, yes, , a=x b=2')
  })

  test('a text is cut to the columns there are', () => {
    expect(cut('abcdef', 4)).toBe('abc…')
    expect(cut('日本語', 4)).toBe('日…')
    expect(cut('abc', 3)).toBe('abc')
  })

  test('wrapped() breaks a text at blanks, and a word that is too long at the width', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrapped('a 日本語本 b', 4)).toEqual(['a', '日本', '語本', 'b'])
    expect(wrapped('', 4)).toEqual([''])
  })
})

describe('table()', () => {
  const rows = [
    { name: '日本', note: 'a'.repeat(40), count: 1 },
    { name: 'demo', count: null },
  ]

  test('columns are aligned, missing values are empty', () => {
    expect(table(rows, ['name', 'count'])).toBe('NAME  COUNT\n日本  1\ndemo\n')
  })

  test('the widest columns are cut until a row fits; before one is cut too short, the last ones are left out', () => {
    const columns = ['name', 'note', 'count']
    const [head, line] = table(rows, columns, { width: 40 }).split('\n')
    expect([head?.length, line]).toEqual([40, `日本  ${'a'.repeat(26)}…  1`])
    expect(table(rows, columns, { width: 36 }).split('\n').slice(0, 2)).toEqual([
      'NAME  NOTE …',
      `日本  ${'a'.repeat(29)}…`,
    ])
    expect(table(rows, ['note'], { width: 10 }).split('\n')[1]).toBe(`${'a'.repeat(9)}…`)
  })
})

test('record() has a line per key that has a value, sections for what is inside, and a line for each of a list', () => {
  const item = { name: 'demo', ports: [1, 2], health: { status: 'OK', empty: {} }, jobs: [{ a: 1 }, { a: 2 }] }
  expect(record(item)).toBe(`name:  demo
ports: 1, 2
health:
  status: OK
jobs:
  a=1
  a=2
`)
  expect(record('text')).toBe('text\n')
})

describe('links', () => {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY })
  const linked = (env: Readonly<Record<string, string>>, isTTY = true) =>
    createLink({ ...surroundingsOf(), env, stdout: stream(isTTY) })('http://a.example/', 'a')
  const link = '\u001b]8;;http://a.example/\u001b\\a\u001b]8;;\u001b\\'

  test.each<[Readonly<Record<string, string>>, string]>([
    [{}, 'a'],
    [{ TERM: 'xterm-256color' }, 'a'],
    [{ TERM: 'xterm-kitty' }, link],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, link],
    [{ VTE_VERSION: '7600' }, link],
    [{ VTE_VERSION: '5000' }, 'a'],
    [{ WT_SESSION: 'x', NO_COLOR: '1' }, 'a'],
    [{ WT_SESSION: 'x', CI: 'true' }, 'a'],
    [{ WT_SESSION: 'x', TERM: 'dumb' }, 'a'],
    [{ FORCE_HYPERLINK: '1', NO_COLOR: '1' }, link],
    [{ FORCE_HYPERLINK: '0', WT_SESSION: 'x' }, 'a'],
  ])('a terminal with %j shows %j', (env, text) => {
    expect(linked(env)).toBe(text)
    expect(linked(env, false)).toBe('a')
  })

  test('tables and records link addresses as a whole, and take no other width for it', () => {
    const show = createLink({ ...surroundingsOf(), env: { FORCE_HYPERLINK: '1' }, stdout: stream(true) })
    const address = `http://${'long.'.repeat(8)}example/`
    const row = {
      public_url: address,
      note: 'http://b.example/',
      custom_url: 'none\u001b]8;;http://evil.example/\u0007',
    }
    const text = table([row], Object.keys(row), { width: 60, link: show })
    expect(text).toContain(`\u001b]8;;${address}\u001b\\http://long.`)
    expect(text.split('\u001b]8;;h')).toHaveLength(2)
    expect(stripVTControlCharacters(text)).toBe(table([row], Object.keys(row), { width: 60 }))
    expect(record({ url: address, nested: { url: address } }, plainTimes, show).split('\u001b]8;;h')).toHaveLength(3)
  })
})

test('a list beside a plan or a record is a table below it', () => {
  const action = { view: { type: 'record' }, mutating: true } as Parameters<typeof resultText>[0]
  const list = [{ object: 'Contact', rule: 'hash' }]
  const table = 'OBJECT   RULE\nContact  hash\n'
  expect(resultText(action, { message: 'Done.', item: { name: 'x' }, list }, {}).out).toBe(`Done.\n${table}`)
  const plan = { title: 'Clone', instance: { id: 'a', name: 'x' }, steps: [], notes: [] }
  expect(resultText(action, { message: '', plan, list }, {}).out).toMatch(new RegExp(`^Clone\\..*\n${table}$`))
  expect(resultText(action, { message: 'Done.', list: [] }, {}).out).toBe('Done.\n')
})

test('a list of lines is in the message and is not repeated as a table', () => {
  const action = { view: { type: 'text' }, mutating: false } as Parameters<typeof resultText>[0]
  const list = ['{"level":30,"msg":"ready"}', 'second']
  expect(resultText(action, { message: list.join('\n'), list }, {}).out).toBe(`${list.join('\n')}\n`)
})

describe('values as people read them', () => {
  const now = new Date('2026-11-22T22:30:00Z')
  const times = createTimes({ timeZone: 'America/New_York', now })

  test('times are local, with the day by its name when it is near', () => {
    const all = ['2026-11-22T19:03:21.123Z', '2026-11-22T04:59:00Z', '2026-11-20T05:00:00Z']
    expect(all.map(times.short)).toEqual(['today 14:03', 'yesterday 23:59', '2026-11-20 00:00'])
    expect(times.long(all[0] as string)).toBe('today 14:03:21 (-05:00)')
    expect(times.line(all[0] as string)).toBe('2026-11-22 14:03:21')
    const utc = createTimes({ timeZone: 'UTC', now })
    expect(utc.long(all[0] as string)).toBe('today 19:03:21 (UTC)')
  })

  test('units come from the name of the column, which leaves them out', () => {
    const row = {
      size: 9830,
      memory_mb: 80,
      duration: 1502,
      uptime_seconds: 7500,
      cpu_percent: 0.4449,
      at: now.toISOString(),
    }
    const [head, line] = table([row], Object.keys(row), { times }).split('\n')
    expect(head?.split(/  +/)).toEqual(['SIZE', 'MEMORY', 'DURATION', 'UPTIME', 'CPU', 'AT'])
    expect(line?.split(/  +/)).toEqual(['9.8 kB', '84 MB', '1.5 s', '2 h 5 min', '0.4 %', 'today 17:30'])
    expect(record({ size: 9830, at: now.toISOString() }, times)).toBe('size: 9.8 kB\nat:   today 17:30:00 (-05:00)\n')

    const [plainHead, plainLine] = table([row], Object.keys(row), { times: plainTimes }).split('\n')
    expect(plainHead).toMatch(/^SIZE +MEMORY MB +DURATION +UPTIME SECONDS +CPU PERCENT +AT$/)
    expect(plainLine?.split(/  +/)).toEqual(['9830', '80', '1502', '7500', '0.4449', now.toISOString()])
    expect(plainTimes.line(now.getTime())).toBe(now.toISOString())
  })

  test('times in sentences are written the same way, those for programs are not', () => {
    const text = 'Its backup of 2026-11-22T19:03:21.123Z is good (2026-11-20T05:00:00Z). since=2026-11-22T19:03:21Z'
    expect(timesIn(text, times)).toBe(
      'Its backup of today 14:03 is good (2026-11-20 00:00). since=2026-11-22T19:03:21Z',
    )
    const result = { message: 'Saved at 2026-11-22T19:03:21Z.', list: [] }
    const action = { view: { type: 'text' }, mutating: true } as Parameters<typeof resultText>[0]
    expect(resultText(action, result, { times }).out).toBe('Saved at today 14:03.\n')
  })

  test('a long text stands below its row, and in a column of its own when it is asked for', () => {
    const view = { type: 'table', columns: ['a'], below: 'help', empty: '' } as const
    const action = { view, mutating: false } as unknown as Parameters<typeof resultText>[0]
    const result = {
      message: '',
      list: [
        { a: 1, help: 'Do this.' },
        { a: 2, help: '' },
      ],
    }
    expect(resultText(action, result, {}).out).toBe('A\n1\n    Do this.\n2\n')
    expect(resultText(action, result, { columns: ['help', 'a'] }).out).toBe('HELP      A\nDo this.  1\n          2\n')
  })

  test('config --all describes each variable below its row, and fits 100 columns', async () => {
    const action = actions.find(({ name }) => name === 'config') as Parameters<typeof resultText>[0]
    const section = { section: 'General', default: undefined, origin: 'config.sh:12' }
    const list = [
      { ...section, name: 'APPS_A', value: 'x'.repeat(90), summary: 'Address of it. '.repeat(9).trim(), hint: 'Odd.' },
      { ...section, name: 'APPS_B', value: 'no', summary: 'Whether it is.' },
    ]
    const result = { message: '', list: list as unknown as readonly Json[] }
    const { out } = resultText(action, { ...result, below: ['summary', 'hint'] }, { width: 100 })
    const lines = out.trimEnd().split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    expect(lines.slice(2)).toEqual([
      `    ${'Address of it. '.repeat(6).trim()}`,
      `    ${'Address of it. '.repeat(3).trim()}`,
      '    Odd.',
      expect.stringMatching(/^APPS_B +no /),
      '    Whether it is.',
    ])
    expect(resultText(action, result, { width: 100 }).out).not.toContain('Address of it.')
  })

  test.each([80, 60])('findings fit %d columns, with signs for their levels and nothing cut', (width) => {
    const view = {
      type: 'table',
      columns: ['level', 'category', 'message'],
      below: 'help',
      wraps: 'message',
      empty: '',
    } as const
    const action = { view, mutating: false } as unknown as Parameters<typeof resultText>[0]
    const list = [
      {
        level: 'error',
        category: 'instances',
        message: `"demo" is down. ${'Its log says why. '.repeat(6)}`,
        help: `Run it ${'again and '.repeat(12)}again.`,
      },
      { level: 'ok', category: 'home', message: 'Files of the manager', help: '' },
    ]
    const lines = resultText(action, { message: '', list }, { width, times }).out.trimEnd().split('\n')
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width)
    expect(lines[1]).toMatch(/^✖ +instances {2}"demo" is down\. Its/)
    expect(lines.at(-1)).toMatch(/^✔ +home +Files of the manager$/)
    expect(lines.join(' ').match(/Its +log +says +why/g)).toHaveLength(6)
    expect(resultText(action, { message: '', list }, { times: plainTimes }).out).toMatch(
      /\nerror {2}instances {2}"demo"/,
    )
  })

  test('a line of a log has its time, its level, and below it where an error came from; nothing that a terminal obeys', () => {
    const err = { message: 'no\u001b[2J table', stack: 'Error: x\n    at f (x.ts:1:2)' }
    const line = JSON.stringify({ level: 50, time: now.getTime(), msg: 'failed', err })
    expect(logLine(line, { times, paint: plainPaint })).toBe(
      '2026-11-22 17:30:00 ERROR failed: no table\n    at f (x.ts:1:2)',
    )
    expect(logLine('  at\u001b[31m x', { times, paint: plainPaint })).toBe('  at x')
  })

  test('colours are for terminals that want them', () => {
    const painted = (isTTY: boolean, env: Record<string, string>, color?: boolean) => {
      const surroundings = { stdout: { isTTY }, env } as unknown as Parameters<typeof createPaint>[1]
      return createPaint({ ...(color !== undefined && { color }) }, surroundings)('red', 'x')
    }
    expect(painted(true, {})).toBe('\u001b[31mx\u001b[39m')
    expect([
      painted(false, {}),
      painted(true, { NO_COLOR: '1' }),
      painted(true, { TERM: 'dumb' }),
      painted(true, {}, false),
    ]).toEqual(['x', 'x', 'x', 'x'])
  })
})

test('columns of a table can be chosen; one that there is not is refused with those there are', () => {
  const action = { view: { type: 'table', columns: ['a'], empty: '' }, mutating: false } as unknown as Parameters<
    typeof resultText
  >[0]
  const result = { message: '', list: [{ a: 1, b: 'x'.repeat(60) }] }
  expect(resultText(action, result, {}).out).toBe('A\n1\n')
  expect(resultText(action, result, { columns: ['b', 'a'], width: 40 }).out).toMatch(/^B +A\nx+…  1\n$/)
  expect(resultText(action, result, { wide: true, width: 20 }).out).toContain(`1  ${'x'.repeat(60)}\n`)
  const optional = { ...action, view: { ...action.view, columns: ['a', 'b'], optional: ['a', 'b'] } } as typeof action
  expect(resultText(optional, { message: '', list: [{ a: '', b: 0 }, { a: null }] }, {}).out).toBe('B\n0\n\n')
  expect(() => resultText(action, result, { columns: ['c'] })).toThrow(
    expect.objectContaining({ help: 'Columns: a, b.' }),
  )
})
