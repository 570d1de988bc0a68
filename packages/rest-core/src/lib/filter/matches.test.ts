import { describe, expect, test } from 'vitest'
import type { FieldValue } from '../fields/field-value.js'
import { negate } from './combine.js'
import type { Filter } from './filter.js'
import { matches } from './matches.js'
import { movie } from './movie-for-test.js'

const cases: readonly [Filter, FieldValue, boolean][] = [
  [{ op: '=', field: 'title', value: 'A' }, 'A', true],
  [{ op: '=', field: 'title', value: 'A' }, 'a', false],
  [{ op: '=', field: 'title', value: 'A' }, '', false],
  [{ op: '<>', field: 'title', value: 'A' }, '', true],
  [{ op: '<>', field: 'title', value: 'A' }, 'A', false],
  [{ op: '<', field: 'title', value: 'A' }, '', false],
  [{ op: '>', field: 'title', value: 'A' }, 'B', true],
  [{ op: '<=', field: 'year', value: 5 }, null, false],
  [{ op: '<=', field: 'year', value: 5 }, 5, true],
  [{ op: '<', field: 'year', value: 10 }, 9, true],
  [{ op: '=', field: 'big', value: '9007199254740993' }, '9007199254740993', true],
  [{ op: '>', field: 'big', value: 5 }, '9007199254740993', true],
  [{ op: '=', field: 'price', value: 0.5 }, 0.5, true],
  [{ op: '>=', field: 'price', value: '12345678901234567.5' }, '12345678901234567.25', false],
  [{ op: '=', field: 'seen', value: false }, false, true],
  [{ op: '<>', field: 'seen', value: true }, false, true],
  [{ op: '=', field: 'gen_id', value: '10' }, '10', true],
  [{ op: '<', field: 'gen_id', value: '10' }, '9', true],
  [{ op: 'like', field: 'title', pattern: 'a%' }, 'Alien', true],
  [{ op: 'like', field: 'title', pattern: '%' }, '', false],
  [{ op: 'notLike', field: 'title', pattern: 'a%' }, '', true],
  [{ op: 'notLike', field: 'title', pattern: 'a%' }, 'Alien', false],
  [{ op: 'like', field: 'year', pattern: '19%' }, 1984, true],
  [{ op: 'like', field: 'big', pattern: '%93' }, '9007199254740993', true],
  [{ op: 'in', field: 'title', values: ['A', 'B'] }, 'B', true],
  [{ op: 'in', field: 'title', values: ['A', 'B'] }, '', false],
  [{ op: 'notIn', field: 'title', values: ['A', 'B'] }, '', true],
  [{ op: 'notIn', field: 'title', values: ['A', 'B'] }, 'A', false],
  [{ op: 'null', field: 'title' }, '', true],
  [{ op: 'null', field: 'tags' }, [], true],
  [{ op: 'null', field: 'seen' }, false, false],
  [{ op: 'notNull', field: 'year' }, null, false],
  [{ op: 'notNull', field: 'year' }, 0, true],
  [{ op: 'contains', field: 'tags', value: 'a' }, ['a', 'b'], true],
  [{ op: 'contains', field: 'tags', value: 'c' }, ['a', 'b'], false],
  [{ op: 'contains', field: 'tags', value: 'c' }, [], false],
  [{ op: 'notContains', field: 'tags', value: 'c' }, [], true],
]

describe('matches()', () => {
  test.each(cases)('%j on %j', (filter, value, expected) => {
    const { field } = filter as { field: string }
    expect(matches(filter, { [field]: value }, movie)).toBe(expected)
    expect(matches(negate(filter), { [field]: value }, movie)).toBe(!expected)
    expect(matches(negate(negate(filter)), { [field]: value }, movie)).toBe(expected)
  })

  test('joins terms with and, or', () => {
    const terms: Filter[] = [
      { op: '=', field: 'title', value: 'A' },
      { op: '>', field: 'year', value: 5 },
    ]
    const record = { title: 'A', year: 1 }
    expect(matches({ op: 'and', terms }, record, movie)).toBe(false)
    expect(matches({ op: 'or', terms }, record, movie)).toBe(true)
  })

  test('an absent value counts as empty, a field that does not exist is a mistake of the caller', () => {
    expect(matches({ op: 'null', field: 'title' }, {}, movie)).toBe(true)
    expect(() => matches({ op: 'null', field: 'nope' }, {}, movie)).toThrow(
      'Object "Movie" has no field "nope" to filter on.',
    )
  })
})
