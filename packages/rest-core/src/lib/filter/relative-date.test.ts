import { expect, test } from 'vitest'
import { readRelativeDate } from './relative-date.js'

const now = new Date('2024-03-31T10:20:30.999Z')

test.each([
  ['[DATE]', '2024-03-31'],
  ['[date]', '2024-03-31'],
  ['[DATE:-1d]', '2024-03-30'],
  ['[DATE:+1d]', '2024-04-01'],
  ['[DATE:-2w]', '2024-03-17'],
  ['[DATE:-1m]', '2024-02-29'],
  ['[DATE:-13m]', '2023-02-28'],
  ['[DATE:+1m]', '2024-04-30'],
  ['[DATE:-3m]', '2023-12-31'],
  ['[DATE:-1y]', '2023-03-31'],
  ['[DATE:+1y-1m+1d]', '2025-03-01'],
  ['[DATE:-2023y]', '0001-03-31'],
  ['[DATETIME]', '2024-03-31 10:20:30'],
  ['[DATETIME:+12h]', '2024-03-31 22:20:30'],
  ['[DATETIME:-30n]', '2024-03-31 09:50:30'],
  ['[DATETIME:-30min]', '2024-03-31 09:50:30'],
  ['[DATETIME:-30mi]', '2024-03-31 09:50:30'],
  ['[DATETIME:+40s]', '2024-03-31 10:21:10'],
  ['[DATETIME:-1m]', '2024-02-29 10:20:30'],
  ['[DATETIME:-1d+2h]', '2024-03-30 12:20:30'],
])('%s', (text, expected) => {
  expect(readRelativeDate(text, now)).toBe(expected)
})

test.each([
  '[DATE:3m]',
  '[DATE:-3]',
  '[DATE:-3h]',
  '[DATE:-3min]',
  '[DATE:]',
  '[DATES]',
  'DATE',
  '[TIME]',
  '[DATE:-2024y]',
  '[DATE:+7976y]',
  '[DATE:+999999y]',
  '[DATETIME:+999999m+999999m]',
  '[DATE:-1111111d]',
  '[DATE:+1d',
])('%s is not a relative date', (text) => {
  expect(readRelativeDate(text, now)).toBeUndefined()
})
