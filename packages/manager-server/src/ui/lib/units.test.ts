import { expect, it, vi } from 'vitest'

it('formatTick() writes marks of an axis so that no two look the same', async () => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('navigator', { languages: ['en'], language: 'en' })
  const { formatTick } = await import('./units.js')
  expect([0.25, 0.5, 0.75].map((value) => formatTick('cpu_percent', value, 0.25))).toEqual([
    '0.25 %',
    '0.50 %',
    '0.75 %',
  ])
  expect([0, 20].map((value) => formatTick('cpu_percent', value, 20))).toEqual(['0 %', '20 %'])
  expect([0, 2000].map((value) => formatTick('response_ms', value, 2000))).toEqual(['0 s', '2 s'])
  expect(formatTick('response_ms', 50, 50)).toBe('50 ms')
  expect([1500, 3000].map((value) => formatTick('memory_mb', value, 1500))).toEqual(['1.5 GB', '3.0 GB'])
  vi.unstubAllGlobals()
})

it('formatMeasure() of a size that is less than what is measured is not nothing', async () => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('navigator', { languages: ['en'], language: 'en' })
  const { formatMeasure } = await import('./units.js')
  expect([0, 0.1, null].map((value) => formatMeasure('disk_mb', value))).toEqual(['< 100 kB', '100 kB', '–'])
  vi.unstubAllGlobals()
})
