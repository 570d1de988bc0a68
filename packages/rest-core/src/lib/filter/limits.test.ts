import { expect, test } from 'vitest'
import { movie } from './movie-for-test.js'
import { parseFilterExpression, parseFilters, parseFilterText, parseFilterTexts } from './parse.js'

const terms = (count: number, join = ' or '): string => Array.from({ length: count }, (_, i) => `> ${i}`).join(join)
const list = (count: number): string => `in (${Array.from({ length: count }, (_, i) => i).join(',')})`
const refusal = (text: RegExp) =>
  expect.objectContaining({ code: 'ERR_FILTER', status: 400, message: expect.stringMatching(text) })

test('1,000 conditions are taken, 1,001 and 10,000 are not', () => {
  expect(parseFilterText(movie, 'year', terms(1_000))).toMatchObject({ op: 'or', terms: { length: 1_000 } })
  for (const count of [1_001, 10_000 / 2]) {
    expect(() => parseFilterText(movie, 'year', terms(count))).toThrow(refusal(/more than 1000 conditions/))
  }
  expect(() => parseFilterTexts(movie, { year: Array.from({ length: 10_000 }, () => '> 1') })).toThrow(
    refusal(/more than 1000 conditions/),
  )
  expect(() => parseFilterTexts(movie, { year: Array.from({ length: 10_000 }, () => '1') })).toThrow(
    refusal(/more than 1000 conditions/),
  )
})

test('conditions are counted over all texts of a request', () => {
  expect(() => parseFilterTexts(movie, { year: terms(600), big: terms(600) })).toThrow(
    refusal(/Filter on "big" makes more than 1000/),
  )
  expect(() => parseFilterTexts(movie, { year: terms(1_000), nmin__big: '1' })).toThrow(
    refusal(/more than 1000 conditions/),
  )
})

test('a condition on several fields counts together with the other filters of its request', () => {
  const named = Array.from({ length: 600 }, (_, at) => `big = ${at}`).join(' or ')
  expect(parseFilters(movie, { filters: { year: terms(400) }, expression: named })).toMatchObject({ op: 'and' })
  expect(() => parseFilters(movie, { filters: { year: terms(401) }, expression: named })).toThrow(
    refusal(/Filter makes more than 1000 conditions/),
  )
  expect(() => parseFilters(movie, { expression: `big ${list(3_000)} or year ${list(3_000)}` })).toThrow(
    refusal(/more than 5000 listed values/),
  )
  expect(() => parseFilters(movie, { expression: `title = '${'x'.repeat(65_536)}'` })).toThrow(
    refusal(/longer than 65536 characters/),
  )
})

test('5,000 listed values are taken, more are not', () => {
  expect(parseFilterText(movie, 'year', list(5_000))).toMatchObject({ op: 'in', values: { length: 5_000 } })
  expect(() => parseFilterText(movie, 'year', list(5_002))).toThrow(refusal(/more than 5000 listed values/))
  expect(() => parseFilterTexts(movie, { year: [list(3_000), list(3_000)] })).toThrow(
    refusal(/more than 5000 listed values/),
  )
})

test('a text of more than 64 KiB is refused, whatever it holds', () => {
  for (const start of ['= ', 'like ', '(', '']) {
    expect(() => parseFilterText(movie, 'title', start + 'x'.repeat(65_537))).toThrow(
      refusal(/longer than 65536 characters/),
    )
  }
  expect(() => parseFilterExpression(movie, `title = ${'x'.repeat(65_536)}`)).toThrow(
    refusal(/longer than 65536 characters/),
  )
  expect(() => parseFilterTexts(movie, { nmin__year: '1'.repeat(65_537) })).toThrow(
    refusal(/longer than 65536 characters/),
  )
})

test('parentheses within each other are taken up to 50', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}= 1${')'.repeat(depth)}`
  expect(parseFilterText(movie, 'year', nested(50))).toEqual({ op: '=', field: 'year', value: 1 })
  for (const depth of [51, 30_000]) {
    expect(() => parseFilterText(movie, 'year', nested(depth))).toThrow(refusal(/deeper than 50/))
    expect(() => parseFilterText(movie, 'year', `= 1 or ${nested(depth)}`)).toThrow(refusal(/deeper than 50/))
  }
  expect(() => parseFilterExpression(movie, '('.repeat(60_000))).toThrow(refusal(/deeper than 50/))
  expect(() => parseFilterText(movie, 'year', '('.repeat(100_000))).toThrow(refusal(/longer than 65536 characters/))
})

test('thousands of nots and alternating groups do not overflow the stack', () => {
  expect(parseFilterText(movie, 'year', `${'not '.repeat(16_000)}= 1`)).toEqual({ op: '=', field: 'year', value: 1 })
  const groups = Array.from({ length: 990 }, (_, i) => (i % 2 === 0 ? '(> 1 and < 5)' : '= 9')).slice(0, 600)
  expect(parseFilterText(movie, 'year', groups.join(' or '))).toMatchObject({ op: 'or', terms: { length: 301 } })
})

test('patterns are at most 1,000 characters long', () => {
  expect(parseFilterText(movie, 'title', `*${'x'.repeat(999)}`)).toMatchObject({ op: 'like' })
  expect(() => parseFilterText(movie, 'title', `*${'x'.repeat(1_000)}`)).toThrow(
    refusal(/pattern of more than 1000 characters/),
  )
  expect(() => parseFilterText(movie, 'title', `like '${'x'.repeat(1_001)}'`)).toThrow(
    refusal(/pattern of more than 1000 characters/),
  )
})
