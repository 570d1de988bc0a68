import { expect, test } from 'vitest'
import { fieldFor, take } from './field-for-test.js'

test.each([
  ['a text', 'abc', 'abc'],
  ['nothing', null, ''],
  ['an absent value', undefined, ''],
  ['a number', 12.5, '12.5'],
  ['a boolean', false, 'false'],
  ['astral characters', '😀', '😀'],
  ['blanks', '  ', '  '],
])('string takes %s', (_, input, value) => {
  expect(take({ type: 'string' }, input)).toBe(value)
})

test.each([
  ['an array', ['a'], 'ERR_TYPE must be text, not an array'],
  ['an object', { a: 1 }, 'ERR_TYPE must be text, not an object'],
  ['NUL', 'a\0b', 'ERR_TYPE must not contain the NUL character'],
  [
    'half of a surrogate pair',
    'a\ud800',
    'ERR_TYPE must be well-formed Unicode, but contains half of a surrogate pair',
  ],
  [
    'a number beyond 2^53',
    2 ** 60,
    'ERR_TYPE must be text; 1152921504606847000 is a number that has lost digits, send it as a string',
  ],
])('string refuses %s', (_, input, problem) => {
  expect(take({ type: 'string' }, input)).toBe(problem)
})

test('string counts its length in code points', () => {
  expect(take({ type: 'string', length: 3 }, '😀😀😀')).toBe('😀😀😀')
  expect(take({ type: 'string', length: 3 }, '😀😀😀😀')).toBe('ERR_LENGTH must have at most 3 characters')
  expect(take({ type: 'string' }, 'x'.repeat(255))).toHaveLength(255)
  expect(take({ type: 'string' }, 'x'.repeat(256))).toBe('ERR_LENGTH must have at most 255 characters')
})

test('text and html have no limit unless the definition gives one', () => {
  for (const type of ['text', 'html'] as const) {
    expect(take({ type }, 'x'.repeat(100_000))).toHaveLength(100_000)
    expect(take({ type, length: 2 }, 'xxx')).toBe('ERR_LENGTH must have at most 2 characters')
    expect(fieldFor({ type, length: 2 }).columnType).toEqual({ kind: 'text' })
  }
})

test('string checks the whole value against the pattern', () => {
  const definition = { type: 'string', pattern: '[A-Z]{2}|x' } as const
  expect(take(definition, 'AB')).toBe('AB')
  expect(take(definition, 'ABC')).toBe('ERR_PATTERN must match the pattern [A-Z]{2}|x, not "ABC"')
})

test('messages show refused values shortened and escaped', () => {
  expect(take({ type: 'string', pattern: 'a' }, `\n${'x'.repeat(200)}`)).toBe(
    `ERR_PATTERN must match the pattern a, not "\\n${'x'.repeat(59)}"…`,
  )
})
