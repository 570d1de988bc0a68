import { describe, expect, test } from 'vitest'
import { fieldFor, take } from './field-for-test.js'

test.each([
  ['id', { type: 'id' }],
  ['reference', { type: 'reference', object: 'TheirIds' }],
] as const)('%s of a table that others made may be 0', (_, definition) => {
  for (const zero of ['0', 0, '-0', '00', ' 0 ']) expect(take(definition, zero)).toBe('0')
  for (const none of ['', ' ', null]) expect(take(definition, none)).toBe('')
})

test('reference to a table of the application is empty when it is 0', () => {
  for (const none of ['0', '-0', 0]) expect(take({ type: 'reference', object: 'IntegerIds' }, none)).toBe('')
})

describe.each([
  ['id', { type: 'id' }],
  ['reference', { type: 'reference', object: 'IntegerIds' }],
] as const)('%s of integers', (_, definition) => {
  test.each([
    ['12', '12'],
    [12, '12'],
    ['0012', '12'],
    ['+12', '12'],
    ['-5', '-5'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['', ''],
    [' ', ''],
    [null, ''],
  ])('takes %j as %j', (input, value) => {
    expect(take(definition, input)).toBe(value)
  })

  test.each(['abc', '1.5', '1e3', '18446744073709551616', '-9223372036854775809', '9'.repeat(41), '1 or 1=1', '0x10'])(
    'refuses %j',
    (input) => {
      expect(take(definition, input)).toBe(
        `ERR_TYPE must be a row id (a whole number of up to 64 bits), not "${input}"`,
      )
    },
  )

  test.each([[1.5], [true], [[1]], [{ id: 1 }]])('refuses %j', (input) => {
    expect(take(definition, input)).toMatch(/^ERR_TYPE must be a row id /)
  })

  test('refuses numbers that have lost digits', () => {
    expect(take(definition, 2 ** 53)).toBe(
      'ERR_TYPE must be exact; 9007199254740992 is a number that has lost digits, send it as a string',
    )
  })
})

describe.each([
  ['id', { type: 'id', values: 'string' }],
  ['reference', { type: 'reference', object: 'StringIds' }],
] as const)('%s of strings', (_, definition) => {
  test('takes any text of up to 255 characters', () => {
    expect(take(definition, 'a/b c')).toBe('a/b c')
    expect(take(definition, '0')).toBe('0')
    expect(take(definition, 7)).toBe('7')
    expect(take(definition, '')).toBe('')
    expect(take(definition, 'x'.repeat(255))).toHaveLength(255)
    expect(take(definition, 'x'.repeat(256))).toBe('ERR_LENGTH must have at most 255 characters')
    expect(take(definition, 'a\0')).toBe('ERR_TYPE must not contain the NUL character')
  })
})

test('a reference has the column of what it points at', () => {
  for (const [object, values] of [
    ['IntegerIds', 'integer'],
    ['StringIds', 'string'],
  ] as const) {
    const field = fieldFor({ type: 'reference', object })
    expect(field.type.column(field)).toEqual({ kind: 'reference', values })
  }
})
