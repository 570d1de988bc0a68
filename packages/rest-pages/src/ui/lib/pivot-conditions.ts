import type { AxisMetadata, FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { Place } from '@steward/page-kit/pivot'
import type { Condition } from './filters.js'

/** Conditions that find the records of a place of an axis. */
export function conditionsAt(
  axes: readonly AxisMetadata[],
  place: Place,
  fields: readonly FieldMetadata[],
): readonly (readonly [name: string, condition: Condition])[] {
  return place.map((value, at) => {
    const { field: name, by } = axes[at] as AxisMetadata
    const field = fields.find((one) => one.name === name)
    return [name, conditionOf(value, by, field)]
  })
}

function conditionOf(value: Place[number], by: string | null, field: FieldMetadata | undefined): Condition {
  if (value === null || value === '') return { kind: 'empty' }
  const text = String(value)
  const kind = field && kindOf(field)
  if (by !== null) {
    const [first, last] = daysOf(text)
    return kind === 'datetime'
      ? { kind: 'from', from: `${first} 00:00:00`, to: `${last} 23:59:59` }
      : { kind: 'from', from: first, to: last }
  }
  const isRange = kind === 'number' || kind === 'date' || kind === 'datetime' || kind === 'time'
  return isRange ? { kind: 'from', from: text, to: text } : { kind: 'is', codes: [text] }
}

/** First and last day of `2026`, `2026-Q1`, `2026-01` or `2026-01-31`. */
function daysOf(part: string): readonly [first: string, last: string] {
  const [year = '', quarterOrMonth, day] = part.split('-')
  if (day !== undefined) return [part, part]
  if (quarterOrMonth === undefined) return [`${year}-01-01`, `${year}-12-31`]
  const isQuarter = quarterOrMonth.startsWith('Q')
  const last = isQuarter ? Number(quarterOrMonth.slice(1)) * 3 : Number(quarterOrMonth)
  const first = isQuarter ? last - 2 : last
  const two = (number: number) => String(number).padStart(2, '0')
  // The day before the first one of the next month.
  const end = new Date(Date.UTC(Number(year), last, 0)).getUTCDate()
  return [`${year}-${two(first)}-01`, `${year}-${two(last)}-${two(end)}`]
}
