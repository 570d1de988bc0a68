import { expect, it } from 'vitest'
import { numberText, plainNumber } from './number-text.js'

const integer = { type: 1, precision: 0, key: false }
const decimal = { type: 2, precision: 2, key: false }

it.each([
  [39.8, decimal, 'en', '39.80'],
  [15, decimal, 'en', '15.00'],
  [1200, decimal, 'de', '1.200,00'],
  ['12345678901234567890.5', decimal, 'en', '12,345,678,901,234,567,890.50'],
  [1.5, { ...decimal, precision: 12 }, 'en', '1.5'],
  [2025, integer, 'en', '2025'],
  [12_500, integer, 'en', '12,500'],
  [12_500, { ...integer, key: true }, 'en', '12500'],
  ['not a number', decimal, 'en', 'not a number'],
  ['NaN', decimal, 'en', 'NaN'],
  ['Infinity', decimal, 'en', '∞'],
  [1e-300, { ...decimal, precision: 0 }, 'en', '1e-300'],
])('numberText() of %j as %j in %s is %j', (value, field, locale, text) => {
  expect(numberText(value, field, locale)).toBe(text)
})

it.each([
  [54.8, decimal, '54.80'],
  [-15, decimal, '-15.00'],
  ['12345678901234567890.5', decimal, '12345678901234567890.50'],
  [1e-10, { ...decimal, precision: 10 }, '1e-10'],
  [2025, integer, '2025'],
  ['-Infinity', decimal, '-Infinity'],
])('plainNumber() of %j as %j is %j', (value, field, text) => {
  expect(plainNumber(value, field)).toBe(text)
})
