import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import type { BusinessRecord, ReadableField } from '../model/model.js'
import { compareRecords, compareText, compareValues } from './compare.js'
import { movie } from './movie-for-test.js'

const field = (name: string): ReadableField => movie.readable.get(name) as ReadableField

test.each([
  ['title', ['', 'A', 'B', 'a', 'ä', '\uffff', '😀']],
  ['year', [null, -5, 0, 9, 10]],
  ['big', [null, '-9007199254740993', -1, 10, 9_007_199_254_740_991, '9007199254740992', '9007199254740993']],
  ['price', [null, '-12345678901234567.5', -0.5, 0, 0.05, 0.5, '12345678901234567.25', '12345678901234567.3']],
  ['seen', [false, true]],
  ['released', ['', '0001-01-01', '2024-01-01', '2024-01-02']],
  ['row_id', ['', '-3', '2', '10', '9007199254740993', '9007199254740994']],
  ['gen_id', ['', '2', '10']],
])('%s is ordered', (name, values) => {
  for (const [i, a] of values.entries()) {
    for (const [j, b] of values.entries()) {
      expect(Math.sign(compareValues(a, b, field(name))), `${String(a)} and ${String(b)}`).toBe(Math.sign(i - j))
    }
  }
})

test('texts are ordered as their UTF-8 bytes', () => {
  const text = fc.string({ unit: anyCharacter })
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
    { numRuns: 2_000 },
  )
})

test('compareRecords() sorts by several fields, empty first when ascending and last when descending', () => {
  const records = [
    { row_id: '1', title: 'b', year: null },
    { row_id: '10', title: 'a', year: 5 },
    { row_id: '2', title: 'a', year: 5 },
    { row_id: '3', title: 'a', year: 7 },
  ] as BusinessRecord[]
  const sorted = (order: string[]): string[] =>
    records
      .toSorted(
        compareRecords(
          order.map((name) => ({ field: name.replace('-', ''), descending: name.startsWith('-') })),
          movie,
        ),
      )
      .map(({ row_id }) => row_id)
  expect(sorted(['year', 'row_id'])).toEqual(['1', '2', '10', '3'])
  expect(sorted(['-year', 'row_id'])).toEqual(['3', '2', '10', '1'])
  expect(sorted(['title', '-row_id'])).toEqual(['10', '3', '2', '1'])
})
