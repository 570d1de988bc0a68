import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileLike } from './like.js'

test.each([
  ['a%', 'abc', true],
  ['a%', 'ABC', true],
  ['%b%', 'abc', true],
  ['a_c', 'abc', true],
  ['a_c', 'ac', false],
  ['a', 'abc', false],
  ['%', '', true],
  ['_', '😀', true],
  ['__', '😀', false],
  [String.raw`50\%`, '50%', true],
  [String.raw`50\%`, '50x', false],
  [String.raw`a\_b`, 'a_b', true],
  [String.raw`a\_b`, 'axb', false],
  [String.raw`a\\b`, String.raw`a\b`, true],
  ['É', 'é', false],
  ['%a%b%', 'xxaxxbxx', true],
  ['%ab', 'aabab', true],
  ['', 'a', false],
])('like %j on %j', (pattern, text, expected) => {
  expect(compileLike(pattern)(text)).toBe(expected)
})

test('like finds what an equal regular expression finds', () => {
  const pattern = fc
    .string({ unit: fc.constantFrom('a', 'b', '%', '_', '\\', '.'), maxLength: 8 })
    .filter((text) => !/(?<!\\)(?:\\\\)*\\$/.test(text))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '%', '_', '\\', '.', '\n'), maxLength: 10 })
  fc.assert(
    fc.property(pattern, text, (like, value) => {
      const source = like.replace(/\\(.)|%|_|\./gs, (all, escaped: string | undefined) =>
        escaped !== undefined
          ? escaped.replace(/[\\.]/, String.raw`\$&`)
          : all === '%'
            ? '.*'
            : all === '_'
              ? '.'
              : String.raw`\.`,
      )
      expect(compileLike(like)(value)).toBe(new RegExp(`^${source}$`, 'is').test(value))
    }),
    { numRuns: 2_000 },
  )
})

test('many wildcards on a long text take no exponential time', () => {
  expect(compileLike('%a'.repeat(400) + 'b')('a'.repeat(5_000))).toBe(false)
})
