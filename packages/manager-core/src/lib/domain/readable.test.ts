import { expect, test } from 'vitest'
import { durationText, sizeText } from './readable.js'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [9830, '9.8 kB'],
  [999_999, '1 MB'],
  [1_400_000, '1.4 MB'],
  [12_345_678, '12 MB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [7.443, '7.4 ms'],
  [850, '850 ms'],
  [999.7, '1 s'],
  [1502, '1.5 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
  [3_599_600, '1 h'],
  [7_500_000, '2 h 5 min'],
  [273_600_000, '3 d 4 h'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
