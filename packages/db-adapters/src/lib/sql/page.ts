import type { Dialect } from './dialect.js'
import { sql, type Text } from './text.js'

/** What follows a select to take one page of its rows. */
export function pageText({ page }: Pick<Dialect, 'page'>, limit: Text, offset?: Text, ordered = true): Text {
  if (page) return page(limit, offset, ordered)
  return offset ? sql` limit ${limit} offset ${offset}` : sql` limit ${limit}`
}

/** What follows a select without `order by` to take that many of its rows. */
export function firstRows(dialect: Pick<Dialect, 'page'>, count: number): string {
  return pageText(dialect, { sql: String(count), slots: [] }, undefined, false).sql
}
