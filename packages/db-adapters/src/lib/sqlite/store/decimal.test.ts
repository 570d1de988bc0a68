import { decimalValue } from '@steward/rest-core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDecimal, encodeDecimal } from './decimal.js'

const digits = (most: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most })
const decimal = fc
  .tuple(fc.constantFrom('', '-'), fc.oneof(digits(3), digits(28)), fc.option(fc.oneof(digits(2), digits(10))))
  .map(([sign, whole, fraction]) => decimalValue(`${sign}${whole}${fraction === null ? '' : `.${fraction}`}`))

/** All numbers with the same scale, so that they compare as integers. */
function exact(value: number | string): bigint {
  const [whole = '', fraction = ''] = plain(value).split('.')
  return BigInt(whole.replace('-', '') + fraction.padEnd(10, '0')) * (whole.startsWith('-') ? -1n : 1n)
}

/** Without an exponent. */
function plain(value: number | string): string {
  return typeof value === 'number' && Math.abs(value) < 1
    ? value.toFixed(10)
    : String(typeof value === 'number' && Math.abs(value) >= 1e21 ? BigInt(value) : value)
}

test('encodeDecimal() keeps every number', () => {
  fc.assert(
    fc.property(decimal, (value) => {
      expect(decimalValue(decodeDecimal(encodeDecimal(value) as string) as string)).toBe(value)
    }),
    { numRuns: 5_000 },
  )
})

test('encodeDecimal() sorts texts as the numbers', () => {
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const [x, y] = [encodeDecimal(a) as string, encodeDecimal(b) as string]
      expect(x < y).toBe(exact(a) < exact(b))
      expect(x === y).toBe(exact(a) === exact(b))
    }),
    { numRuns: 10_000 },
  )
})

test('encodeDecimal() takes no text that is not a number, decodeDecimal() only what it made', () => {
  for (const text of ['', 'x', '1e', '--1', 'NaN', 'Infinity', '9'.repeat(100)])
    expect(encodeDecimal(text), text).toBeUndefined()
  for (const text of ['', '12.5', 'p02:', 'n97:87', 'q02:12']) expect(decodeDecimal(text), text).toBeUndefined()
  expect(encodeDecimal(12.5)).toBe('p02:12.5')
  expect(encodeDecimal(-12.5)).toBe('n97:87.4~')
  expect(encodeDecimal(1e-7)).toBe('p01:0.0000001')
})
