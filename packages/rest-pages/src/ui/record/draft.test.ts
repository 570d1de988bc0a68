import { expect, test } from 'vitest'
import { isInUtc } from './draft.js'

test.each([
  [5, 'UTC', true],
  [5, 'none', false],
  [4, null, false],
  [6, null, false],
] as const)('isInUtc() of a field of type %i with the zone %s is %s', (type, zone, expected) => {
  expect(isInUtc({ type, zone })).toBe(expected)
})
