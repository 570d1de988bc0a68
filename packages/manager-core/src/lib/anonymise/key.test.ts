import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKey, lettersOf } from './key.js'

test('a permutation gives every number once, another one with another key or domain', () => {
  const key = createKey('seed')
  for (const size of [1, 2, 3, 10, 365, 1000]) {
    const numbers = Array.from({ length: size }, (_, at) => BigInt(at))
    const made = numbers.map((number) => key.permute('days', BigInt(size), number))
    expect(new Set(made).size).toBe(size)
    expect(made.every((number) => number >= 0n && number < size)).toBe(true)
    if (size < 10) continue
    expect(made).not.toEqual(numbers)
    expect(made).not.toEqual(numbers.map((number) => key.permute('hours', BigInt(size), number)))
    expect(made).not.toEqual(numbers.map((number) => createKey('other').permute('days', BigInt(size), number)))
  }
})

test('big domains too: no two numbers become the same, and all stay within', () => {
  const key = createKey()
  const size = 10n ** 38n
  const number = fc.bigInt({ min: 0n, max: size - 1n })
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [first, second] = [key.permute('n', size, a), key.permute('n', size, b)]
      expect(first < size && first >= 0n).toBe(true)
      expect(first === second).toBe(a === b)
    }),
  )
})

test('letters are of the digest, as many as asked for', () => {
  const digest = createKey('seed').digest('x', 'value')
  expect(lettersOf(digest, 24)).toMatch(/^[a-z2-7]{24}$/)
  expect(lettersOf(digest, 3)).toBe(lettersOf(digest, 24).slice(0, 3))
  expect(digest.equals(createKey('seed').digest('x', 'value'))).toBe(true)
  expect(digest.equals(createKey('seed').digest('y', 'value'))).toBe(false)
})
