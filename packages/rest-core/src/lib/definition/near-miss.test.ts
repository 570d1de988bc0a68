import { expect, test } from 'vitest'
import { nearMiss } from './near-miss.js'

const known = ['label', 'length', 'required', 'type', 'key']

test.each([
  ['lable', 'label'],
  ['lenght', 'length'],
  ['Requird', 'required'],
  ['TYPE', 'type'],
  ['kye', undefined],
  ['ke', undefined],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%j is probably %j', (given, meant) => {
  expect(nearMiss(given, known)).toBe(meant)
})
