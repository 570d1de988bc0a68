import { expect, it } from 'vitest'
import type { WireHistoryEntry } from '@steward/manager-core'
import { byDay, filterActivity, filtersOf, itemOfEntry } from './items.js'

const entry = (id: number, more: Partial<WireHistoryEntry>) =>
  itemOfEntry({
    ...{ id, at: '2026-11-20T10:00:00.000Z', actor: 'eve', address: '', action: 'restart', instance: 'crm' },
    ...{ instance_id: '', result: 'ok', message: '', operation: '', surface: 'api', duration: 5, parameters: null },
    ...more,
  } as WireHistoryEntry)

const items = [
  entry(1, { result: 'failed', message: 'It did not answer.' }),
  entry(2, { actor: 'ann', surface: 'cli', operation: '0ADD1EVE' }),
  entry(3, { instance: 'shop', at: '2026-11-22T10:00:00.000Z', address: '192.0.2.7' }),
]
const found = (query: Readonly<Record<string, string>>) =>
  filterActivity(items, filtersOf(query)).map(({ key }) => Number(key))

it('filterActivity() gives what all filters of the address want', () => {
  expect(found({})).toEqual([1, 2, 3])
  expect(found({ who: 'eve', instance: 'CRM' })).toEqual([1])
  expect(found({ result: 'failed' })).toEqual([1])
  expect(found({ from: 'cli' })).toEqual([2])
  expect(found({ q: 'ANSWER eve' })).toEqual([1])
  expect(found({ q: '192.0.2.7', from: 'cli' })).toEqual([])
  expect(found({ q: '0add1eve' })).toEqual([2])
  expect(found({ q: 'add' })).toEqual([])
  expect(found({ constructor: 'x', who: '<b>' })).toEqual([])
})

it('byDay() keeps the order', () => {
  expect(byDay(items).map(([, those]) => those.map(({ key }) => key))).toEqual([['1', '2'], ['3']])
})
