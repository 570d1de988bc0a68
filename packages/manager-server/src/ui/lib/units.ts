import type { WireSample } from '@steward/manager-core'
import { formatBytes, formatDuration, formatNumber, language, locale } from '@steward/page-kit'

export const measures = ['response_ms', 'memory_mb', 'cpu_percent', 'disk_mb'] as const satisfies (keyof WireSample)[]
export type Measure = (typeof measures)[number]

/** A measured value with its unit; `–`: it was not measured. */
export function formatMeasure(measure: Measure, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (measure === 'response_ms') return formatDuration(value)
  if (measure === 'cpu_percent') return `${formatNumber(value, value < 10 ? 1 : 0)} %`
  // It is rounded to a tenth of a megabyte.
  return value === 0 ? `< ${formatBytes(100_000)}` : formatBytes(value * 1_000_000)
}

/** At an axis whose marks are `step` apart: with as many digits as tell two of them apart. */
export function formatTick(measure: Measure, value: number, step: number): string {
  if (measure === 'cpu_percent') return `${withDigits(value, step)} %`
  const [small, large] = measure === 'response_ms' ? ['ms', 's'] : unitsOfSize
  // One unit for all marks of an axis; its first one is 0.
  return step >= thousand
    ? `${withDigits(value / thousand, step / thousand)} ${large}`
    : `${withDigits(value, step)} ${small}`
}

const thousand = 1000
const unitsOfSize = language === 'fr' ? (['Mo', 'Go'] as const) : (['MB', 'GB'] as const)

function withDigits(value: number, step: number): string {
  const digits = [0, 1, 2].find((count) => Number.isInteger(Number((step * 10 ** count).toFixed(6)))) ?? 3
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
