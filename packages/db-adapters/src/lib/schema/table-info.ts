export interface TableInfo {
  /** As definitions write it: `sales.orders` where it is not in the default schema. */
  readonly name: string
  /** For a table that is not in the default schema. */
  readonly schema?: string | undefined
  /** `foreign`: the rows are on another server; `virtual`: made by an SQLite module. Only a `table` is ever changed. */
  readonly kind: 'table' | 'view' | 'foreign' | 'virtual'
  readonly columns: readonly ColumnInfo[]
  /** Its columns in order; empty when there is none. Of a view: those that the database promises to be one. */
  readonly primaryKey: readonly string[]
  readonly indexes: readonly IndexInfo[]
  readonly foreignKeys: readonly ForeignKeyInfo[]
  /** Full-text indexes that `sync` has made. */
  readonly wordIndexes: readonly WordIndexInfo[]
  /** The table can have foreign keys and be the target of some. */
  readonly foreignKeysSupported: boolean
  /** SQLite: the name by which rows are known when there is no single primary key column, e.g. `rowid`. */
  readonly implicitId: string | undefined
  /** The owner's comment. */
  readonly comment?: string | undefined
  /**
   * Who carries out inserts, updates and deletes of a view, when it takes all of them: the database, or triggers of its
   * owner. Never on SQLite, which reports neither how many rows triggers have changed nor what they hold now.
   */
  readonly writtenBy?: 'database' | 'triggers' | undefined
  /** The database's user may insert, update or delete rows, or some columns of them. Absent: it may, or nothing is known. */
  readonly isWritable?: boolean | undefined
  /** The tables that inherit from it, and whose rows are among its own, although keys do not hold for them. */
  readonly children?: readonly string[] | undefined
  /** Why the database cannot read it, e.g. a view of a table that is gone. */
  readonly unreadable?: string | undefined
}

export interface ColumnInfo {
  readonly name: string
  readonly type: ColumnFamily
  /** The type as it must be written to get a column that compares with this one, with its collation. */
  readonly declaration: string
  readonly nullable: boolean
  /** The database fills the column when an insert does not: a default, an identity or auto-increment. */
  readonly hasDefault: boolean
  /** The database gives new rows their number. */
  readonly autoIncrement: boolean
  /** Computed by the database; cannot be written. */
  readonly generated: boolean
  /** The database's user may read it. Absent: it may, or nothing is known. */
  readonly isReadable?: boolean | undefined
  /** As `isReadable`, for inserts or updates. */
  readonly isWritable?: boolean | undefined
  readonly collation: string | undefined
  /** The owner's comment. */
  readonly comment?: string | undefined
  /** The default as an SQL expression, where there is one. */
  readonly default?: string | undefined
}

/** What a column can hold, without the spelling of one database. */
export type ColumnFamily =
  /** `length` in characters; undefined: no limit. */
  | { readonly kind: 'string'; readonly length: number | undefined }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** `digits`: every number of that many digits fits; `exact`: and none of more. */
  | { readonly kind: 'integer'; readonly digits: number; readonly unsigned?: boolean; readonly exact?: boolean }
  /** `precision` undefined: no limit. */
  | { readonly kind: 'decimal'; readonly precision: number | undefined; readonly scale: number | undefined }
  /** Decimals in the sortable text form of the SQLite store. */
  | { readonly kind: 'decimalText'; readonly precision: number; readonly scale: number }
  /**
   * `storage`: the store keeps its numbers exactly; absent: with the usual digits. `precision` and `scale` as of a decimal,
   * where it is declared with them.
   */
  | {
      readonly kind: 'float'
      readonly storage?: 'double' | 'single'
      readonly precision?: number | undefined
      readonly scale?: number | undefined
    }
  /** Years from 1901 to 2155 (MySQL); other numbers become a year among these, or 0. */
  | { readonly kind: 'year' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'date' }
  /** `fraction`: digits of a fraction of a second that the store keeps; absent: none, or what texts hold. */
  | { readonly kind: 'datetime'; readonly fraction?: number | undefined }
  | { readonly kind: 'time'; readonly fraction?: number | undefined }
  | { readonly kind: 'json' }
  /** A list of values of one type. */
  | { readonly kind: 'array' }
  /** Words with their places (PostgreSQL's tsvector). */
  | { readonly kind: 'words' }
  /** Any value (an SQLite column without a type). */
  | { readonly kind: 'any' }
  | { readonly kind: 'binary' }
  /** Nothing that a field could hold. */
  | { readonly kind: 'other' }

export interface IndexInfo {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique: boolean
  /** It covers all rows and whole columns; partial indexes and expressions do not. */
  readonly plain: boolean
}

export interface WordIndexInfo {
  readonly name: string
  readonly column: string
}

export interface ForeignKeyInfo {
  /** Empty on SQLite when it has none. */
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly targetColumns: readonly string[]
  /** `other`: SET DEFAULT. */
  readonly onDelete: 'refuse' | 'cascade' | 'setNull' | 'other'
}
