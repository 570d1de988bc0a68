import { expect, it } from 'vitest'
import { suggestName } from './suggest-name.js'

it('suggestName() gives a valid name that is not taken, with more digits when most are', () => {
  const names = Array.from({ length: 200 }, () => suggestName(() => false))
  for (const name of names) expect(name).toMatch(/^[a-z]{4,6}\d{2}$/)
  expect(suggestName((name) => /\D\d\d$/.test(name))).toMatch(/^[a-z]{4,6}\d{3}$/)
  const values = [0.6, 0.42, 0.6, 0.43]
  expect(
    suggestName(
      (name) => name === 'otter42',
      () => values.shift() as number,
    ),
  ).toBe('otter43')
})
