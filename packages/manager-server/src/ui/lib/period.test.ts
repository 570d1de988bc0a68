import { expect, it } from 'vitest'
import { beginningOf, periodOf } from './period.js'

const hour = 3_600_000
const now = 1_000 * hour

it('periodOf() reads a range or a drawn period, and takes a day for what is neither', () => {
  expect(periodOf({ range: '7d' }, now)).toEqual({ from: now - 168 * hour, to: now, range: '7d', isDrawn: false })
  const drawn = { from: String(now - 3 * hour), to: String(now - hour) }
  expect(periodOf(drawn, now)).toEqual({ from: now - 3 * hour, to: now - hour, range: undefined, isDrawn: true })
  for (const query of ['', 'range=x', 'from=5&to=4', 'from=a&to=b'])
    expect(periodOf(Object.fromEntries(new URLSearchParams(query)), now)).toEqual({
      from: now - 24 * hour,
      to: now,
      range: undefined,
      isDrawn: false,
    })
})

it('beginningOf() is near the first sample without a choice, and at most a day ago', () => {
  const usual = periodOf({}, now)
  expect(beginningOf(usual, [now - 10 * hour, now])).toBe(now - 10.2 * hour)
  expect(beginningOf(usual, [now - 90 * hour, now])).toBe(now - 24 * hour)
  expect(beginningOf(usual, [now])).toBe(now - hour / 4)
  expect(beginningOf(usual, [])).toBe(now - 24 * hour)
  expect(beginningOf(periodOf({ range: '7d' }, now), [now - hour])).toBe(now - 168 * hour)
})
