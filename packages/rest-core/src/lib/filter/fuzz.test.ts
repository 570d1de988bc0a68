import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../../../tests/fuzz/any-character.js'
import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import type { Filter } from './filter.js'
import { matches } from './matches.js'
import { movie } from './movie-for-test.js'
import { parseFilterExpression, parseFilterText } from './parse.js'

const fieldNames = [...movie.readable.keys()]

/** The filter, or `undefined` when the text is refused; anything but a refusal with status 400 fails the test. */
function attempt(parse: () => Filter | undefined): Filter | undefined {
  try {
    return parse()
  } catch (error) {
    if (RestError.is(error) && error.status === 400) return undefined
    throw error
  }
}

/** Texts that look like the filter language, whole or broken. */
const pieces = fc.constantFrom(
  ...[
    '=',
    '<>',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    'like',
    'not',
    'in',
    'is',
    'null',
    'and',
    'or',
    '(',
    ')',
    ',',
    ';',
    "'",
    "''",
    '[',
    ']',
    '\\',
    '*',
    '%',
    '_',
    '--',
    '/*',
    '"',
    '`',
    '$1',
    '?',
    '\0',
    '\ud800',
    ' ',
  ],
  ...[
    'title',
    'year',
    'gen_id__gen_code',
    '__proto__',
    "'a'",
    "'it''s'",
    '5',
    '-1.5',
    '2024-01-01',
    '[DATE:-3m]',
    '[DATETIME:+1h]',
    '[LOGIN]',
    '[DATE:-9x]',
    'true',
    'a',
    'A*',
    '48.8;2.3',
    '9007199254740993',
    '1e400',
  ],
)
const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.array(pieces, { maxLength: 15 }).map((all) => all.join(' ')),
  fc.array(pieces, { maxLength: 10 }).map((all) => all.join('')),
)

function checkShape(filter: Filter): void {
  if ('terms' in filter) {
    expect(filter.terms.length).toBeGreaterThan(1)
    for (const term of filter.terms) {
      expect(term.op).not.toBe(filter.op)
      checkShape(term)
    }
    return
  }
  expect(fieldNames).toContain(filter.field)
  const values = 'values' in filter ? filter.values : 'value' in filter ? [filter.value] : []
  for (const value of values) expect(['', null, undefined]).not.toContain(value)
  if ('values' in filter) expect(filter.values.length).toBeGreaterThan(1)
}

test('a random text for one field is a well-formed filter or refused with 400', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.constantFrom(...fieldNames), texts, (field, text) => {
      const filter = attempt(() => parseFilterText(movie, field, text, { variables: { LOGIN: 'joe' } }))
      if (!filter) return
      taken++
      checkShape(filter)
    }),
    { numRuns: 5_000 },
  )
  expect(taken).toBeGreaterThan(500)
})

test('a random text as a whole expression is a well-formed filter or refused with 400', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const filter = attempt(() => parseFilterExpression(movie, text, { LOGIN: 'joe' }))
      if (filter) checkShape(filter)
    }),
    { numRuns: 5_000 },
  )
})

type Record = { title: string; year: number | null; tags: string[]; bought: string }

/** An expression, and what it means by the plain rules of logic. */
interface Meaning {
  readonly text: string
  readonly holds: (record: Record) => boolean
}

const operators: { readonly [op: string]: (order: number) => boolean } = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}
const operator = fc.constantFrom(...Object.keys(operators))
const letters = fc.constantFrom<string>('a', 'b', 'c')
const days = fc.constantFrom('2024-01-01', '2024-01-02')

function compare(op: string, value: FieldValue, other: FieldValue): boolean {
  if (value === '' || value === null) return op === '<>'
  return (operators[op] as (order: number) => boolean)(
    value === other ? 0 : (value as string) < (other as string) ? -1 : 1,
  )
}

const leaf: fc.Arbitrary<Meaning> = fc.oneof(
  fc.tuple(operator, letters).map(([op, value]) => ({
    text: `title ${op} '${value}'`,
    holds: ({ title }: Record) => compare(op, title, value),
  })),
  fc
    .tuple(operator, fc.integer({ min: 0, max: 3 }))
    .map(([op, value]) => ({ text: `year ${op} ${value}`, holds: ({ year }: Record) => compare(op, year, value) })),
  fc.tuple(operator, days).map(([op, day]) => ({
    text: `bought ${op} ${day}`,
    holds: ({ bought }: Record) => compare(op, bought.slice(0, 10), day),
  })),
  letters.map((value) => ({ text: `title like '%${value}%'`, holds: ({ title }: Record) => title.includes(value) })),
  letters.map((value) => ({
    text: `title not like ${value}*`,
    holds: ({ title }: Record) => !title.startsWith(value),
  })),
  fc
    .array(letters, { minLength: 1, maxLength: 3 })
    .map((all) => ({ text: `title in (${all.join()})`, holds: ({ title }: Record) => all.includes(title) })),
  fc.array(letters, { minLength: 1, maxLength: 3 }).map((all) => ({
    text: `title not in ('${all.join("','")}', '')`,
    holds: ({ title }: Record) => title !== '' && !all.includes(title),
  })),
  letters.map((value) => ({ text: `tags = ${value}`, holds: ({ tags }: Record) => tags.includes(value) })),
  letters.map((value) => ({
    text: `tags <> 'a;${value}'`,
    holds: ({ tags }: Record) => !(tags.includes('a') && tags.includes(value)),
  })),
  fc.constant({ text: 'year is null', holds: ({ year }: Record) => year === null }),
  fc.constant({ text: 'title is not null', holds: ({ title }: Record) => title !== '' }),
)

const { expression } = fc.letrec<{ expression: Meaning }>((tie) => {
  const inner = tie('expression')
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      inner.map(({ text, holds }) => ({ text: `not (${text})`, holds: (record: Record) => !holds(record) })),
      fc.tuple(inner, inner).map(([a, b]) => ({
        text: `(${a.text}) and (${b.text})`,
        holds: (record: Record) => a.holds(record) && b.holds(record),
      })),
      fc.tuple(inner, inner).map(([a, b]) => ({
        text: `(${a.text}) or (${b.text})`,
        holds: (record: Record) => a.holds(record) || b.holds(record),
      })),
    ),
  }
})

const record: fc.Arbitrary<Record> = fc.record({
  title: fc.constantFrom('', 'a', 'b', 'c', 'ab', 'bc'),
  year: fc.option(fc.integer({ min: 0, max: 3 })),
  tags: fc.subarray(['a', 'b', 'c']),
  bought: fc.constantFrom(
    '',
    '2024-01-01 00:00:00',
    '2024-01-01 23:59:59',
    '2024-01-02 12:00:00',
    '2024-01-03 00:00:00',
  ),
})

test('an expression and its negation match exactly what plain logic says', () => {
  fc.assert(
    fc.property(expression, record, ({ text, holds }, value) => {
      const filter = parseFilterExpression(movie, text)
      checkShape(filter)
      expect(matches(filter, value, movie)).toBe(holds(value))
      expect(matches(parseFilterExpression(movie, `not (${text})`), value, movie)).toBe(!holds(value))
    }),
    { numRuns: 3_000 },
  )
})
