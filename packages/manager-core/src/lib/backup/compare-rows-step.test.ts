import { expect, it } from 'vitest'
import { differencesOf } from './compare-rows-step.js'

it('finds tables that have other rows than were saved, are missing, or are too much', () => {
  const rows = { note: 2, gone: 0, same: 3 }
  expect(differencesOf({ note: 1, same: 3, other: 0 }, { rows })).toEqual([
    'gone is missing',
    'note has 1 row, not 2',
    'other is not in the backup',
  ])
  expect(differencesOf(rows, { rows })).toEqual([])
})

it('takes any number between those before and after of a table that changed while it was saved', () => {
  const saved = { rows: { log: 5, dropped: 7 }, rowsAfter: { log: 9, dropped: null, made: 4 } }
  expect(differencesOf({ log: 5, dropped: 7 }, saved)).toEqual([])
  expect(differencesOf({ log: 9, dropped: 3, made: 0 }, saved)).toEqual([])
  expect(differencesOf({ log: 7, made: 4 }, saved)).toEqual([])
  expect(differencesOf({ log: 4, dropped: 8, made: 5 }, saved)).toEqual([
    'dropped has 8 rows, not 0 to 7',
    'log has 4 rows, not 5 to 9',
    'made has 5 rows, not 0 to 4',
  ])
  expect(differencesOf({ dropped: 7 }, saved)).toEqual(['log is missing'])
})
