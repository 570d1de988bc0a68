/**
 * One session of a database, as schema work needs it. No one else may use the session until the call that got it has
 * ended: it opens transactions, takes locks and, on SQLite, switches foreign keys off for a while.
 *
 * Statements have the placeholders of the database's driver (`?`, on PostgreSQL `$1`). Both methods reject with a
 * `StoreError` (`unique`, `reference`, `value`, `busy`, …), the vendor's error as its cause.
 */
export interface SchemaConnection {
  /** Runs one statement and gives its rows by column name as written in the statement. */
  rows(sql: string, bindings?: readonly SchemaValue[]): Promise<readonly SchemaRow[]>
  /** Runs one statement without reading rows: DDL, `begin`, `commit`, PRAGMA, `update`. */
  run(sql: string, bindings?: readonly SchemaValue[]): Promise<void>
}

export type SchemaValue = string | number | bigint | null

/** Integers may come as number, bigint or string. */
export type SchemaRow = Readonly<Record<string, unknown>>
