import type { FieldMetadata } from '@steward/rest-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const field = (name: string, type: number, more: Partial<FieldMetadata> = {}): FieldMetadata =>
  ({
    name,
    type,
    key: false,
    visible: true,
    precision: 0,
    ref: null,
    refObject: null,
    refField: null,
    defaultValue: null,
    ...more,
  }) as never
const rowId = field('row_id', 0)
const country = field('country', 3, { key: true })
const year = field('year', 1, { key: true })
const order = field('order', 0, { key: true, refObject: 'Order', refField: 'row_id' })
const orderNumber = field('order__number', 3, { ref: 'order', refObject: 'Order', refField: 'number' })
const line = field('line', 1, { key: true })
const name = field('name', 3)

let titleOf: (typeof import('./title.js'))['titleOf']
beforeAll(async () => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('navigator', { languages: ['en'], language: 'en' })
  ;({ titleOf } = await import('./title.js'))
})
afterAll(() => vi.unstubAllGlobals())

it.each<[string, FieldMetadata[], object, string]>([
  ['a key of several fields', [rowId, country, year, name], { country: 'CH', year: 2025, name: 'x' }, 'CH · 2025'],
  [
    'a key with a reference',
    [rowId, order, orderNumber, line],
    { order: '1', order__number: 'O-1', line: 2 },
    'O-1 · 2',
  ],
  ['a key whose reference is hidden', [order, orderNumber, line], { order: '1', order__number: '', line: 2 }, '2'],
  ['a key whose reference brings nothing', [order, line], { order: '7', line: 2 }, '7 · 2'],
  ['a number', [rowId, { ...line }, name], { line: 10_248, name: 'Desk' }, '10248 Desk'],
  ['a day', [field('day', 4, { key: true })], { day: '2026-02-03' }, 'Feb 3, 2026'],
  ['a text', [country, name], { country: 'CH', name: 'Swiss' }, 'CH Swiss'],
  ['a text with a default', [country, { ...name, defaultValue: '[LOGIN]' }], { country: 'CH', name: 'ann' }, 'CH'],
  ['no key', [rowId, name, field('note', 3)], { name: 'Ann', note: 'new' }, 'Ann new'],
  ['nothing that says anything', [rowId, name], { name: '' }, '12'],
])('titleOf() of a record with %s', (_, fields, record, title) => {
  expect(titleOf({ row_id: '12', ...record }, { fields })).toBe(title)
})
