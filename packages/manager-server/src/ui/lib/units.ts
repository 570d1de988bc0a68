import type { WireSample } from '@steward/manager-core'
import { formatBytes, formatDuration, formatNumber } from '@steward/page-kit'

export const measures = ['response_ms', 'memory_mb', 'cpu_percent', 'disk_mb'] as const satisfies (keyof WireSample)[]
export type Measure = (typeof measures)[number]

/** A measured value with its unit; `–`: it was not measured. */
export function formatMeasure(measure: Measure, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (measure === 'response_ms') return formatDuration(value)
  if (measure === 'cpu_percent') return `${formatNumber(value, value < 10 ? 1 : 0)} %`
  return formatBytes(value * 1_000_000)
}
