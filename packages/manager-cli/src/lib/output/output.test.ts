import { describe, expect, test } from 'vitest'
import { record } from './record.js'
import { resultText } from './result.js'
import { table } from './table.js'
import { cut, lineOf, printable, widthOf } from './text.js'

describe('text', () => {
  test.each([
    ['demo', 4],
    ['Irène', 5],
    ['日本', 4],
    ['e\u0301', 1],
    ['👩‍🔬x', 3],
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
})

describe('table()', () => {
  const rows = [
    { name: '日本', note: 'a'.repeat(40), size: 1 },
    { name: 'demo', size: null },
  ]

  test('columns are aligned, missing values are empty', () => {
    expect(table(rows, ['name', 'size'])).toBe('NAME  SIZE\n日本  1\ndemo\n')
  })

  test('the widest columns are cut until a row fits, none below eight', () => {
    const lines = table(rows, ['name', 'note', 'size'], 30).split('\n')
    expect(lines[1]).toBe(`日本  ${'a'.repeat(17)}…  1`)
    expect(table(rows, ['name', 'note', 'size'], 10).split('\n')[1]).toBe('日本  aaaaaaa…  1')
  })
})

test('record() has a line per key, sections for what is inside, and a line for each of a list', () => {
  const item = { name: 'demo', ports: [1, 2], health: { status: 'OK', empty: {} }, jobs: [{ a: 1 }, { a: 2 }] }
  expect(record(item)).toBe(`name:  demo
ports: 1, 2
health:
  status: OK
  empty:
jobs:
  a=1
  a=2
`)
  expect(record('text')).toBe('text\n')
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
