import type { DatePart } from '../aggregate.js'

/** A part of a date or datetime in its one form: `2026`, `2026-Q1`, `2026-01`, `2026-01-31`; empty stays empty. */
export function datePart(value: string, part: DatePart): string {
  if (value === '') return ''
  switch (part) {
    case 'year':
      return value.slice(0, 4)
    case 'quarter':
      return `${value.slice(0, 4)}-Q${Math.ceil(Number(value.slice(5, 7)) / 3)}`
    case 'month':
      return value.slice(0, 7)
    case 'day':
      return value.slice(0, 10)
  }
}
