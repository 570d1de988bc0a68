import { describe, expect, test } from 'vitest'
import { fieldFor, take } from './field-for-test.js'

describe('integer', () => {
  test.each([
    [5, 5],
    [-0, 0],
    [3.0, 3],
    ['42', 42],
    [' 42 ', 42],
    ['-7', -7],
    ['+7', 7],
    ['007', 7],
    ['1e3', 1000],
    ['2.0', 2],
    ['', null],
    ['  ', null],
    [null, null],
  ])('takes %j as %j', (input, value) => {
    expect(take({ type: 'integer' }, input)).toBe(value)
  })

  test.each([
    [3.5, 'must be a whole number, not 3.5'],
    ['3.5', 'must be a whole number, not "3.5"'],
    ['abc', 'must be a whole number, not "abc"'],
    [true, 'must be a whole number, not true'],
    [[1], 'must be a whole number, not an array'],
    [{}, 'must be a whole number, not an object'],
    [Number.NaN, 'must be a whole number, not NaN'],
    [Number.POSITIVE_INFINITY, 'must be a whole number, not Infinity'],
    [2 ** 53, 'must be exact; 9007199254740992 is a number that may have lost digits, send it as a string'],
    [1_000_000_000_000_000, 'must have at most 15 digits'],
    ['1000000000000000', 'must have at most 15 digits'],
    ['9'.repeat(100_000), `must be a whole number, not "${'9'.repeat(60)}"…`],
  ])('refuses %j', (input, problem) => {
    expect(take({ type: 'integer' }, input)).toBe(`ERR_TYPE ${problem}`)
  })

  test('of 19 and 20 digits takes any integer of 64 bits, and no other', () => {
    const signed = { type: 'integer', precision: 19 } as const
    const unsigned = { type: 'integer', precision: 20 } as const
    expect(take(signed, '-9223372036854775808')).toBe('-9223372036854775808')
    expect(take(signed, '9223372036854775808')).toBe(
      'ERR_TYPE must be a whole number from -9223372036854775808 to 9223372036854775807',
    )
    expect(take(unsigned, '18446744073709551615')).toBe('18446744073709551615')
    expect(take(unsigned, -1)).toBe('ERR_TYPE must be a whole number from 0 to 18446744073709551615')
  })

  test('of up to 18 digits is a string beyond 2^53', () => {
    const definition = { type: 'integer', precision: 18 } as const
    expect(take(definition, '9007199254740991')).toBe(9_007_199_254_740_991)
    expect(take(definition, '9007199254740993')).toBe('9007199254740993')
    expect(take(definition, '-999999999999999999')).toBe('-999999999999999999')
    expect(take(definition, '1000000000000000000')).toBe('ERR_TYPE must have at most 18 digits')
  })

  test('keeps to its range', () => {
    const definition = { type: 'integer', min: -1, max: 10 } as const
    expect(take(definition, -1)).toBe(-1)
    expect(take(definition, 10)).toBe(10)
    expect(take(definition, -2)).toBe('ERR_TYPE must be at least -1, not -2')
    expect(take(definition, 11)).toBe('ERR_TYPE must be at most 10, not 11')
  })

  test('has the bounds of its precision in its JSON Schema, and beyond 15 digits also texts of digits', () => {
    const schemaOf = (definition: Parameters<typeof fieldFor>[0]) => {
      const field = fieldFor({ required: true, ...definition })
      return field.type.jsonSchema(field)
    }
    const most = 999_999_999_999_999
    expect(schemaOf({ type: 'integer' })).toEqual({ type: ['integer'], minimum: -most, maximum: most })
    expect(schemaOf({ type: 'integer', precision: 4, min: 0 })).toEqual({
      type: ['integer'],
      minimum: 0,
      maximum: 9999,
    })
    expect(schemaOf({ type: 'integer', precision: 18 })).toEqual({
      type: ['integer', 'string'],
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: '^-?[0-9]{1,18}$',
    })
  })

  test('needs a column of its precision', () => {
    expect(fieldFor({ type: 'integer' }).columnType).toEqual({ kind: 'integer', precision: 15 })
    expect(fieldFor({ type: 'integer', precision: 4 }).columnType).toEqual({ kind: 'integer', precision: 4 })
  })
})

describe('decimal', () => {
  test.each([
    [12.5, 12.5],
    ['12.50', 12.5],
    ['-0.00', 0],
    [-0, 0],
    ['.5', 0.5],
    ['1.5e1', 15],
    ['', null],
    [null, null],
    ['9999999999999.99', 9_999_999_999_999.99],
  ])('takes %j as %j', (input, value) => {
    expect(take({ type: 'decimal' }, input)).toBe(value)
  })

  test.each([
    [0.125, 'must have at most 2 digits after the point'],
    ['0.125', 'must have at most 2 digits after the point'],
    ['10000000000000', 'must have at most 13 digits before the point'],
    ['1,5', 'must be a number, not "1,5"'],
    [true, 'must be a number, not true'],
    [Number.NaN, 'must be a number, not NaN'],
    [0.1 + 0.2, 'must be exact; 0.30000000000000004 is a number that may have lost digits, send it as a string'],
    [1e21, 'must be exact; 1e+21 is a number that may have lost digits, send it as a string'],
  ])('refuses %j', (input, problem) => {
    expect(take({ type: 'decimal' }, input)).toBe(`ERR_TYPE ${problem}`)
  })

  test('keeps 38 digits exactly, as a string', () => {
    const definition = { type: 'decimal', precision: 38, scale: 10 } as const
    expect(take(definition, '1234567890123456789012345678.0123456789')).toBe('1234567890123456789012345678.0123456789')
    expect(take(definition, '1234567890123456.10')).toBe('1234567890123456.1')
    expect(take(definition, 9_007_199_254_740_991)).toBe('9007199254740991')
    expect(take(definition, '0.0000000001')).toBe(1e-10)
  })

  test('of scale equal to precision has no digits before the point', () => {
    const definition = { type: 'decimal', precision: 4, scale: 4 } as const
    expect(take(definition, '0.1234')).toBe(0.1234)
    expect(take(definition, '1')).toBe('ERR_TYPE must have at most 0 digits before the point')
  })

  test('keeps to its range exactly', () => {
    const definition = { type: 'decimal', precision: 30, scale: 15, min: 0.1, max: 9_007_199_254_740_991 } as const
    expect(take(definition, '0.099999999999999')).toBe('ERR_TYPE must be at least 0.1, not 0.099999999999999')
    expect(take(definition, '9007199254740991.000000000000001')).toBe(
      'ERR_TYPE must have at most 15 digits before the point',
    )
    expect(take({ ...definition, scale: 5 }, '9007199254740991.00001')).toBe(
      'ERR_TYPE must be at most 9007199254740991, not 9007199254740991.00001',
    )
  })

  test('is shown without an exponent', () => {
    const field = fieldFor({ type: 'decimal', precision: 15, scale: 12 })
    expect(field.type.format(1e-10, field)).toBe('0.0000000001')
  })

  test.each([
    [39.8, 2, '39.80'],
    [-15, 2, '-15.00'],
    [0, 1, '0.0'],
    ['12345678901234567890.5', 2, '12345678901234567890.50'],
    [7, 0, '7'],
    [7, 12, '7'],
    [null, 2, ''],
    ['Infinity', 2, 'Infinity'],
    ['NaN', 2, 'NaN'],
  ])('format() of %j with scale %d has the digits of the scale: %j', (value, scale, text) => {
    const field = fieldFor({ type: 'decimal', precision: 30, scale })
    expect(field.type.format(value, field)).toBe(text)
  })
})
