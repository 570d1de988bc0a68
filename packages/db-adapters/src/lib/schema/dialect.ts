import type { ColumnType, ReferenceModel } from '@steward/rest-core'
import type { Change, ChangeOf, ReferenceRule } from './changes.js'
import type { SchemaConnection } from './connection.js'
import type { ColumnFamily, ColumnInfo, TableInfo } from './table-info.js'

/** What schema work has to know about a database: `sqliteSchema`, `postgresqlSchema`, and so on. */
export interface SchemaDialect {
  readonly name: 'sqlite' | 'postgresql' | 'mysql' | 'oracle' | 'mssql'
  /** DDL is undone by a rollback. Without it, everything that can be checked is checked before the first step. */
  readonly transactionalDdl: boolean
  readonly types: TypeRules
  readonly introspection: IntrospectionRules
  readonly quote: (identifier: string) => string
  /** What follows a select without `order by` to take that many of its rows. Absent: ` limit …`. */
  readonly firstRows?: (count: number) => string
  /**
   * Tables and views.
   *
   * @param schemas Default: the current schema. Databases without `introspection.schemas` have only that.
   */
  read(connection: SchemaConnection, schemas?: readonly string[]): Promise<Catalogue>
  /** Columns of a constraint or unique index that a refusal names; empty when the catalogue does not say. */
  readonly constraintColumns?: (connection: SchemaConnection, table: string, constraint: string) => Promise<string[]>
  /**
   * The columns of each key that keeps every row of the table different from all others; none of a view, or of a table that
   * others inherit from.
   */
  readonly uniqueKeys?: (connection: SchemaConnection, table: string) => Promise<readonly (readonly string[])[]>
  /** Whether each insert that is not refused makes a row of the table, with the key that it brings: no trigger or rule may store it elsewhere. */
  readonly keepsInserts?: (connection: SchemaConnection, table: string) => Promise<boolean>
  /**
   * Runs `work` while no other server syncs this database; in a transaction where DDL can be undone.
   *
   * @throws StoreError `busy` when the other one does not end within minutes
   */
  exclusively<T>(connection: SchemaConnection, work: () => Promise<T>): Promise<T>
  /** How many values of a column would be cut, rounded or emptied when `apply` converts it. */
  countLost(connection: SchemaConnection, place: ColumnPlace, change: ChangeOf<'changeColumn'>): Promise<number>
  /** Carries out changes in the order of `inOrder`. Called within `exclusively`. */
  apply(connection: SchemaConnection, changes: readonly Change[]): Promise<void>
  /**
   * The statements that `apply` would run now, and around them what lets another client run them one after the other:
   * `begin` and `commit`, settings. Reads the schema only.
   *
   * @throws StoreError `schema` for a change that needs more than SQL
   */
  script(connection: SchemaConnection, changes: readonly Change[]): Promise<readonly ScriptStatement[]>
}

export interface ScriptStatement {
  /** Without a semicolon at its end. */
  readonly sql: string
  /** Those that it belongs to; none: it is about the script as a whole. */
  readonly changes: readonly Change[]
}

/** What is in one schema, in the same form for every database. */
export interface Catalogue {
  readonly tables: readonly TableInfo[]
  /** Rules of this server, where those of the dialect depend on it. */
  readonly types?: TypeRules
  /** `Movie` and `movie` are the same table. */
  readonly foldsTableNames: boolean
  /** `Title` and `title` are the same column. */
  readonly foldsColumnNames: boolean
}

/** Where a value is now. */
export interface ColumnPlace {
  readonly table: string
  readonly column: string
}

export interface SchemaInfo {
  readonly name: string
  /** Tables, views not counted. */
  readonly tables: number
  /** The one whose tables are known by their names alone. */
  readonly isDefault: boolean
}

export interface IntrospectionRules {
  /** Most digits of a decimal column; beyond, the column is read as good as the database stores it. */
  readonly decimalDigits: number
  /** A foreign key always names a key of a table that is there. */
  readonly foreignKeysFit: boolean
  /** How the store keeps decimals of any number of digits. Absent: with the usual digits. */
  readonly unlimited?: 'unlimited' | 'double'
  /** Kinds of columns that may hold what is beyond the usual, such as `infinity`, and that the store keeps as it is. */
  readonly extended?: ReadonlySet<'number' | 'date' | 'datetime' | 'time'>
  /** An insert returns the row id also when a default has given it. */
  readonly defaultIdsAreKnown: boolean
  /** Looks at values where the declared types promise nothing. */
  readonly refine?: (connection: SchemaConnection, catalogue: Catalogue) => Promise<Catalogue>
  /** Schemas that applications may have made, by name. Absent: a database has one. */
  readonly schemas?: (connection: SchemaConnection) => Promise<readonly SchemaInfo[]>
}

/** Column types of a database: what the planner needs to know, pure. */
export interface TypeRules {
  /** The column that `sync` makes for a type. */
  column(type: ColumnType): { readonly declaration: string; readonly family: ColumnFamily }
  /** The store can read and write fields of this type in such a column, although `sync` would have made another one. */
  serves(type: ColumnType, actual: ColumnFamily): boolean
  /** A foreign key from a column like `from` to a column like `to` is possible. */
  linkable(from: Pick<ColumnInfo, 'declaration' | 'type'>, to: Pick<ColumnInfo, 'declaration' | 'type'>): boolean
  /** Why a unique index over these new or existing columns cannot be made; undefined when it can. */
  uniqueLimit(columns: readonly ColumnFamily[]): string | undefined
  /** An index over such a column is possible; without one, filters read all rows. Default true. */
  readonly isIndexable?: (column: ColumnFamily) => boolean
  /** A dot in a table's name separates the schema from the table; tables of other schemas are their owner's. */
  readonly schemasInNames: boolean
  /** What the database itself does with rows whose reference loses its row, where the store does the rest. Absent: all. */
  readonly enforcedRule?: (reference: ReferenceModel) => ReferenceRule
  /** Declared lengths bind; otherwise a column of the owner holds longer values as it is. */
  readonly sizesBind: boolean
  /**
   * The name of the table of words that stands beside a table and is found by it; undefined where the index is one of the
   * table itself.
   */
  readonly wordTable?: (table: string) => string
  /** Why rows of an existing table cannot be found by words; undefined when they can. */
  wordLimit(table: TableInfo): string | undefined
  /** Most bytes of an identifier. */
  readonly longestName: number
  /** An index may not go while a foreign key has no other one. */
  readonly foreignKeysNeedIndexes: boolean
  /** Indexes on long texts are made in another way than others, so that one on a changed column must be made again. */
  readonly indexDependsOnType: boolean
}
