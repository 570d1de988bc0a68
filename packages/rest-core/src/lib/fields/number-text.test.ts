import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareNumbers, decimalValue, digitsText, integerValue, readDigits } from './number-text.js'

function normalise(text: string): string | undefined {
  const digits = readDigits(text)
  return digits && digitsText(digits)
}

test.each([
  ['0', '0'],
  ['-0.00', '0'],
  ['+5', '5'],
  ['007', '7'],
  ['12.50', '12.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1e3', '1000'],
  ['1.25E+1', '12.5'],
  ['125e-3', '0.125'],
  ['1e-7', '0.0000001'],
  ['0e99', '0'],
  ['-12345678901234567890.123456789012345678', '-12345678901234567890.123456789012345678'],
])('readDigits(%j) is %j exactly', (text, normal) => {
  expect(normalise(text)).toBe(normal)
})

test.each([
  '',
  '.',
  '-',
  '1.2.3',
  'abc',
  '1e',
  '0x10',
  '1 000',
  'Infinity',
  'NaN',
  '1e999',
  '1e401',
  '9'.repeat(401),
  `1${'0'.repeat(300)}e200`,
])('readDigits(%j) is not a number', (text) => {
  expect(readDigits(text)).toBeUndefined()
})

test.each([
  ['999999999999999', 999_999_999_999_999],
  ['1000000000000000', '1000000000000000'],
  ['0.000000000000001', 1e-15],
  ['123456789012.345', 123_456_789_012.345],
  ['1234567890123.456', '1234567890123.456'],
  ['12.50', 12.5],
])('decimalValue(%j) is a number up to 15 digits', (text, value) => {
  expect(decimalValue(text)).toBe(value)
})

test('integerValue() is a number while that is safe', () => {
  expect(integerValue('9007199254740991')).toBe(9_007_199_254_740_991)
  expect(integerValue('9007199254740992')).toBe('9007199254740992')
  expect(integerValue('-9007199254740993')).toBe('-9007199254740993')
})

test('every double of at most 15 digits survives its text', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = number.toPrecision(15)
      const value = decimalValue(text)
      expect(Number(value)).toBe(Number(text) + 0)
      expect(typeof value).toBe(Math.abs(Number(text)) < 1e15 ? 'number' : 'string')
    }),
  )
})

test('compareNumbers() orders decimals of any size as integers of the same scale', () => {
  const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 8 }))
  fc.assert(
    fc.property(decimal, decimal, ([a, scaleA], [b, scaleB]) => {
      const left = a * 10n ** BigInt(8 - scaleA)
      const right = b * 10n ** BigInt(8 - scaleB)
      const expected = left < right ? -1 : left > right ? 1 : 0
      expect(compareNumbers(`${a}e-${scaleA}`, `${b}e-${scaleB}`)).toBe(expected)
    }),
  )
})
