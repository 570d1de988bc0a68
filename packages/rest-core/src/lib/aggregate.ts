/** Part of a date or datetime (UTC) that records are grouped by: `2026`, `2026-Q1`, `2026-01`, `2026-01-31`. */
export type DatePart = 'year' | 'quarter' | 'month' | 'day'

export type AggregateFunction = 'count' | 'sum' | 'min' | 'max'
