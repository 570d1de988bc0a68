import type { RunSql } from '../sql-sessions.js'

/**
 * A dump of all tables of a database, made without a program of its vendor. Lines of JSON, in the order in which they are
 * done again:
 *
 * - first a `DumpHeader`
 * - statements, each a `DumpedStatement`
 * - per table a `TableHeader`, then its rows as arrays in the order of `columns`
 * - last a `DumpEnd`: without it the dump was cut off
 *
 * Unlike a dump of records (`steward-records`) it holds what no object of an application knows, and its statements are
 * those of one type of database.
 */
export const formatName = 'steward-tables'
export const formatVersion = 1

export interface DumpHeader {
  readonly format: typeof formatName
  readonly version: number
  /** As `DatabaseServer.type`. */
  readonly type: string
  /** Name and version. */
  readonly server: string
  /** ISO 8601, UTC */
  readonly created: string
}

export interface DumpedStatement {
  readonly run: string
}

export interface TableHeader {
  readonly table: string
  /** As it stands in statements. */
  readonly into: string
  readonly columns: readonly DumpedColumn[]
}

export interface DumpedColumn {
  /** As it stands in statements. */
  readonly column: string
  /** How values stand in the dump: as text, unless this says base64 or a number (texts for NaN and the infinities). */
  readonly kind?: 'bytes' | 'double' | undefined
  /** The expression that is inserted, with `?` in the place of the value. Absent: `?` */
  readonly write?: string | undefined
}

export interface DumpEnd {
  /** Rows by table. */
  readonly end: Readonly<Record<string, number>>
  /** The hash of all lines before, with their ends, in hexadecimal digits. */
  readonly sha256: string
}

/** What is in a database, and how it is made again. */
export interface DescribedDatabase {
  /** Name and version. */
  readonly server: string
  /** Statements before and after all tables. */
  readonly before: readonly string[]
  readonly tables: readonly DescribedTable[]
  readonly after: readonly string[]
}

export interface DescribedTable extends TableHeader {
  readonly columns: readonly DescribedColumn[]
  /** Statements before and after the rows. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface DescribedColumn extends DumpedColumn {
  /** The expression that is selected: a text, bytes, or a number, as `kind` says. */
  readonly read: string
}

/** A connection that dumps or fills a database. */
export interface TableSession {
  readonly run: RunSql
  /** Rows of a query in batches of bounded size, read only as fast as they are taken. */
  rows(sql: string): AsyncIterable<readonly (readonly unknown[])[]>
  /** Adds rows; values are texts, bytes, numbers, and null. */
  insert(table: TableHeader, rows: readonly (readonly InsertedValue[])[]): Promise<void>
  /** Ends it, with whatever is under way; not waited for. */
  end(): Promise<unknown>
}

export type InsertedValue = string | number | Buffer | null

/** Starts a transaction that sees one state of the database, and returns what is in it. */
export type DescribeDatabase = (run: RunSql) => Promise<DescribedDatabase>
