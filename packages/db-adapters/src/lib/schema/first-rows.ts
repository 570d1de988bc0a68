import type { SchemaDialect } from './dialect.js'

/** What follows a select without `order by` to take that many of its rows. */
export function firstRows({ firstRows: rows }: Pick<SchemaDialect, 'firstRows'>, count: number): string {
  return rows ? rows(count) : ` limit ${count}`
}
