import { describe, expect, test } from 'vitest'
import { add, divide, exactNumber, exactText } from './exact-number.js'

const sum = (...numbers: (number | string)[]): string =>
  exactText(numbers.reduce((total, number) => add(total, exactNumber(number)), exactNumber(0)))

const quotient = (number: number | string, by: number, scale: number): string =>
  exactText(divide(exactNumber(number), BigInt(by), scale))

describe('exact numbers', () => {
  test('add() loses no digit', () => {
    expect(sum(0.1, 0.2)).toBe('0.3')
    expect(sum('99999999999999999999999999999999999999', 1, '-0.0000000001')).toBe(
      '99999999999999999999999999999999999999.9999999999',
    )
    expect(sum(1e-10, -1e-10)).toBe('0')
    expect(sum(-1.5, 0.25)).toBe('-1.25')
    expect(sum()).toBe('0')
  })

  test('divide() rounds halves away from zero', () => {
    expect(quotient(1, 8, 2)).toBe('0.13')
    expect(quotient(-1, 8, 2)).toBe('-0.13')
    expect(quotient(1, 3, 4)).toBe('0.3333')
    expect(quotient(2, 3, 4)).toBe('0.6667')
    expect(quotient('10.005', 1, 2)).toBe('10.01')
    expect(quotient('10.0049', 1, 2)).toBe('10')
    expect(quotient('90071992547409930', 10, 0)).toBe('9007199254740993')
  })

  test('exactNumber() refuses what is not a number', () => {
    expect(() => exactNumber('NaN')).toThrow('not a number')
  })
})
