import { describe, expect, test } from 'vitest'
import { floatValue, shortestSingle } from './float-number.js'
import { take } from './field-for-test.js'

describe('decimal fields with storage', () => {
  test.each([
    [48.858370091234, 48.858370091234],
    ['0.30000000000000004', 0.30000000000000004],
    [1e300, 1e300],
    ['1e300', 1e300],
    ['5e-324', 5e-324],
    [123_456_789_012_345_680_000, 123_456_789_012_345_680_000],
    ['', null],
  ])('double takes %j as %j', (input, value) => {
    expect(take({ type: 'decimal', storage: 'double' }, input)).toBe(value)
  })

  test('double and single refuse digits that they do not have, and say the nearest number', () => {
    expect(take({ type: 'decimal', storage: 'double' }, '0.1234567890123456789')).toBe(
      'ERR_TYPE must be a number of double precision, which has fewer digits; the nearest is 0.12345678901234568',
    )
    expect(take({ type: 'decimal', storage: 'single' }, 123_456.789)).toBe(
      'ERR_TYPE must be a number of single precision, which has fewer digits; the nearest is 123456.79',
    )
    expect(take({ type: 'decimal', storage: 'single' }, '1e39')).toMatch(/^ERR_TYPE must be a number of single/)
  })

  test.each([0.05, 3.14, 18.4, 16_777_216, 1e38, -1e-37, 1e-45])('single takes %j', (number) => {
    expect(take({ type: 'decimal', storage: 'single' }, number)).toBe(number)
    expect(shortestSingle(Math.fround(number))).toBe(number)
  })

  test('unlimited takes any number of digits', () => {
    const many = `${'9'.repeat(60)}.${'1'.repeat(60)}`
    expect(take({ type: 'decimal', storage: 'unlimited' }, many)).toBe(many)
    expect(take({ type: 'decimal', storage: 'unlimited' }, '12.345678901234567')).toBe('12.345678901234567')
  })

  test('extended ones take what is no number, others refuse it', () => {
    for (const storage of ['double', 'single', 'unlimited'] as const) {
      const field = { type: 'decimal', storage, extended: true } as const
      expect(take(field, 'nan')).toBe('NaN')
      expect(take(field, '-Infinity')).toBe('-Infinity')
      expect(take(field, 'constructor')).toMatch(/^ERR_TYPE must be a number/)
      expect(take({ type: 'decimal', storage }, 'NaN')).toBe('ERR_TYPE must be a number, not "NaN"')
    }
    expect(floatValue('-0', 'double', true)).toBe('-0')
    expect(take({ type: 'decimal', storage: 'double', extended: true }, '-0')).toBe('-0')
    expect(floatValue('Infinity', 'single', true)).toBe('Infinity')
  })
})
