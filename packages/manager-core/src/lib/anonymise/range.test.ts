import { expect, test } from 'vitest'
import type { FieldDescription } from './application.js'
import { createKey } from './key.js'
import { rangeMaker } from './range.js'

const maker = (type: string, scale?: number) =>
  rangeMaker({ type, ...(scale === undefined ? {} : { scale }) } as FieldDescription, createKey('seed'))

test('fractions of a second stay, and moments get others', () => {
  const values = ['2024-02-29 10:00:00.1', '2024-02-29 10:00:00.123456', '2024-02-29 10:00:01']
  const made = values.map(maker('datetime'))
  expect(made.map((value) => /^2024-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/.exec(String(value))?.[1])).toEqual([
    '.1',
    '.123456',
    undefined,
  ])
  expect(new Set(made).size).toBe(3)
  expect(maker('time')('10:00:00.25')).toMatch(/^\d\d:\d\d:\d\d\.25$/)
})

test('what existing tables hold beyond the usual is no failure', () => {
  for (const value of ['NaN', 'Infinity', '-0']) expect(() => maker('decimal', 6)(value)).not.toThrow()
  expect(maker('decimal', 6)(1e300)).toBe(1e300)
  expect(maker('datetime')('infinity')).toBe('infinity')
  expect(maker('date')('12024-01-01')).toBe('12024-01-01')
  expect(maker('time')('-100:00:00')).toMatch(/^\d\d:\d\d:\d\d$/)
})
