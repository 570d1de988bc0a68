import type { AggregateRow, BusinessRecord } from '@steward/rest-core'

/**
 * One compiled shape of a request. The same object comes back for the same shape (as long as it is in the compiler's
 * cache), so adapters may hang prepared handles on it, e.g. in a `WeakMap<Statement, …>` per connection.
 */
export interface Statement {
  /** Distinct in this process; short, so that it can name a prepared statement. */
  readonly id: number
  /** Native text: `?` for SQLite and MySQL, `$1` for PostgreSQL. */
  readonly sql: string
  /**
   * What executing it gives:
   * - `records`: rows for `decode`
   * - `count`: one row with one number (or its text)
   * - `id`: one row with one column, the row id as text; no row when nothing was written
   * - `changes`: no rows; the driver's count of affected rows (for MySQL: with FOUND_ROWS, so matched rows) and its insert id
   * - `groups`: rows for `decodeGroup`
   */
  readonly gives: 'records' | 'count' | 'id' | 'changes' | 'groups'
  /** Makes the record of one row, given as an array in the order of the selection. Only for `gives: 'records'`. */
  readonly decode: (row: readonly unknown[]) => BusinessRecord
  /** Makes the group of one row. Only for `gives: 'groups'`. */
  readonly decodeGroup?: ((row: readonly unknown[]) => AggregateRow) | undefined
  /** How many placeholders at the end take what the statement gives back, instead of rows. */
  readonly outs?: number | undefined
  /** The same for a table with triggers, where `sql` is refused because of them. */
  readonly withTriggers?: string | undefined
  /** The quoted table of an insert that gives its row the number which the database would give otherwise. */
  readonly numbers?: string | undefined
  /** The shape was too large to be kept: do not keep a prepared handle either. */
  readonly once: boolean
}

/** A statement with the values of one request, in the driver's order and form. */
export interface BoundStatement {
  readonly statement: Statement
  readonly values: unknown[]
  /** For an insert: the id when it is known before (given, or made here for string ids); else the database assigns it. */
  readonly rowId: string | undefined
}
