import type { Dialect } from './dialect.js'
import { sql, type Text } from './text.js'

/** What follows a select to take one page of its rows. */
export function pageText({ page }: Pick<Dialect, 'page'>, limit: Text, offset?: Text): Text {
  if (page) return page(limit, offset)
  return offset ? sql` limit ${limit} offset ${offset}` : sql` limit ${limit}`
}

/** What follows a select to take so many of its rows. */
export function firstRows(dialect: Pick<Dialect, 'page'>, count: number): string {
  return pageText(dialect, { sql: String(count), slots: [] }).sql
}
