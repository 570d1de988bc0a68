import type { SchemaRow } from './connection.js'

/** A text of a catalogue row; empty when NULL. */
export function text(row: SchemaRow, column: string): string {
  const value = row[column]
  return value === null || value === undefined ? '' : String(value)
}

/** A number of a catalogue row, however the driver gives it; undefined when NULL. */
export function number(row: SchemaRow, column: string): number | undefined {
  const value = row[column]
  return value === null || value === undefined ? undefined : Number(value)
}

/** A truth value of a catalogue row, however the driver gives it. */
export function flag(row: SchemaRow, column: string): boolean {
  return ['true', 't', '1'].includes(String(row[column]))
}

/** A JSON array of texts, as PostgreSQL's `json_agg(…)::text` gives it. */
export function list(row: SchemaRow, column: string): (string | null)[] {
  const value = row[column]
  return typeof value === 'string' ? (JSON.parse(value) as (string | null)[]) : []
}

/** What a database said when it refused. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}
