import type { ColumnType, Comparison, DatePart, FieldValue, IndexTerm, ObjectModel } from '@steward/rest-core'
import type { Knex } from 'knex'
import { key, quoted, type Query, type Raw, type Writing } from './builder.js'
import type { ColumnFacts } from './facts.js'

/** A value that a column holds: never NULL. */
export type Present = string | number | bigint | boolean | object

/**
 * The type of a column, with what is known of the one that is there. `loose`: a boolean of a table that others made, where
 * every number but 0 is true.
 */
export type StoredType = ColumnType & { readonly facts?: ColumnFacts | undefined; readonly loose?: boolean }

export type Lock = 'change' | 'delete'

/** What to select, and what it is turned into; NULL does not get there. */
export interface Reading<T> {
  readonly read: string
  readonly decode: (value: Present) => T
}

/**
 * What differs between databases beyond the dialects of knex, as data and small functions from SQL text to SQL text, which
 * become `raw` pieces of its statements. The functions run once per compiled statement, except `encode` (once per bound
 * value) and what `decode` returns (once per value read). Columns come quoted and qualified; `?` stands for one bound value.
 */
export interface Dialect {
  /** Writes statements of this database: quotes, placeholders, paging, inserts, `returning`. */
  readonly builder: Knex
  /**
   * How a write gives back the row:
   * - `cte`: `with t0 as (update … returning …) select … from t0 left join …`, one statement
   * - `returning`: `… returning` with the joined fields as scalar subqueries, one statement
   * - `into`: `… returning … into`, with placeholders at the end that take the values; own fields that are not long only,
   *   otherwise the row id, and the adapter reads the row with `get`
   * - `output`: `… output inserted.…`, one statement; by way of a table variable where columns must be joined or converted
   * - `reread`: the write gives counts (and an insert id) only; the adapter reads the row with `get`
   */
  readonly writes: 'cte' | 'returning' | 'into' | 'output' | 'reread'
  /**
   * Take the page before joining, when filter and order use own columns only:
   * - `true`: joins are made to a subquery that gives the rows of the page
   * - `'lateral'`: the same, and each joined row is looked up by its id, for planners that would read the whole joined table;
   *   single values of linked rows are looked up by subqueries instead
   * - `'ids'`: the row id is in a subquery that gives the ids of the page; only where it pays, which is when there are many rows
   *   to skip, or rows to sort without an index
   */
  readonly pageBeforeJoin: boolean | 'ids' | 'lateral'
  /** The limit is part of the text, for planners that would plan again for each bound one; as long as few different ones come. */
  readonly limitInText: boolean
  /** Bound as the limit of a search that has an offset only. */
  readonly noLimit: unknown
  /** Largest row id where ids are integers. Absent: that of 64 bits with a sign. */
  readonly largestId?: bigint
  /** Most values of one statement; a request with more is refused with `value`. */
  readonly maxValues: number
  /**
   * Keeps other transactions from changing the selected row before this one ends; `delete` for a row that takes no new
   * references either. Absent: not needed, or by `lockHint`.
   */
  readonly lock?: (query: Query, lock: Lock) => Writing
  /** A lock would also lock joined rows. Default false. */
  readonly locksJoined?: boolean
  /** The same after the name of the table, e.g. ` with (updlock)`; instead of `lock`. */
  readonly lockHint?: Readonly<Record<Lock, string>>
  /** A dot in a table's name separates the schema from the table. */
  readonly schemas: boolean
  /** SQL literal of `false`, for booleans that are NULL. */
  readonly falseLiteral: string
  readonly trueLiteral: string
  /** SQL for loose booleans. Absent: columns of booleans hold nothing but these two. */
  readonly loose?: LooseBooleans

  /** How rows are found by words. */
  readonly words: WordsDialect

  /** A non-empty value as the driver wants it; integer ids and references are checked already. @throws StoreError `value` when the column cannot hold it. */
  encode(value: FieldValue, type: ColumnType): unknown
  /**
   * What to select for a column, e.g. a cast to text; the column itself when nothing is needed. Of bytes their number, or
   * with `whole` hexadecimal digits or a Buffer.
   */
  read(column: string, type: StoredType): string
  /** What is written for a column, with one `?`. Absent: `?`. */
  readonly bind?: (type: ColumnType) => string
  /** Bytes as the driver wants them, of their hexadecimal digits. Absent: these digits. */
  readonly encodeBytes?: (digits: string) => unknown
  /** Turns what the driver gives for `read` into the field's value; `undefined`: it is the value already. NULL never gets here. */
  decode(type: StoredType): ((value: Present) => FieldValue) | undefined

  /** `<column> is null`, also for empty texts that an existing table may hold. */
  isEmpty(column: string, type: StoredType): string
  /** The opposite. */
  isFilled(column: string, type: StoredType): string
  /** `<column> <operator> ?` with what the index and the collation need. Booleans come as `coalesce(column, <false>)`, for ranges only. */
  compare(column: string, operator: Comparison, type: StoredType): string
  /** `<column> in (?, ?, …)`, with `count` values. */
  in(column: string, count: number, type: StoredType): string
  /**
   * Whole-value match of the wire text with `?`, ignoring the case of A–Z.
   *
   * @param pattern `escaped`: it holds the escape character `\`; `anchored`, for columns of a `plainLike` only: it starts with
   *   a character that must be there; `amongCheaper`: conditions other than patterns must hold as well, and cost less.
   */
  like(
    column: string,
    type: StoredType,
    pattern: { readonly escaped: boolean; readonly anchored: boolean; readonly amongCheaper: boolean },
  ): string
  /** A pattern as it is bound; those of filters escape `%`, `_` and anything else by `\`. Absent: as it is. */
  readonly pattern?: (pattern: string) => string
  /** Lists from this length on are bound as one JSON text. Absent: each value is bound. */
  readonly longList?: { readonly from: number; readonly in: (column: string, type: ColumnType) => string }
  /** How often the pattern stands in what `like` gives. Absent: once. */
  readonly patternsOf?: (type: StoredType) => number
  /** A list column (`;a;b;`) holds the bound `;a;`, case-sensitive. */
  contains(column: string): string
  /** What stands for a column that cannot be grouped by itself, in `group by` and in what is read. */
  readonly group?: (column: string, type: StoredType) => { readonly group: string; readonly read?: string } | undefined
  /** What a group of its own is made for, too, where equal is not the same. */
  readonly alsoGroup?: (column: string, type: ColumnType) => string | undefined
  /** Columns of this type hold long texts, which are not given back by a write. */
  readonly isLong?: (type: ColumnType) => boolean
  /** One term of `order by`: empty first when ascending, last when descending. */
  order(column: string, descending: boolean, type: StoredType): string

  /** Deletes a row where the database cannot do by itself what the references to it want. Absent or undefined: it can. */
  readonly deleteRow?: (object: ObjectModel, found: (id: string) => Query) => Raw | undefined

  /** The part of a date or datetime column: what to group by, and how its text is read from a group. */
  datePart(column: string, part: DatePart, type: ColumnType): { readonly group: string } & Reading<FieldValue>
  /**
   * The exact sum of a number column, as digits.
   *
   * @param wide Sums that do not fit into 64 bits; slower where that makes a difference.
   */
  sum(column: string, type: ColumnType, wide: boolean): Reading<string | null>
}

/** How a database finds rows by their words. */
export interface WordsDialect {
  /** A table beside each table, with a row per word, that is written along with the column of words. */
  readonly rows?: WordRows
  /** The table beside a table that is asked in place of it, as `<name>.<name> match …` by rowid; absent: the column of words is asked. */
  readonly table?: (table: string) => string
  /** @param uncommitted Rows must be found that this transaction has written. */
  match(terms: readonly IndexTerm[], uncommitted: boolean): WordMatch
}

/** One search for words; those of the same shape differ in values only. */
export interface WordMatch {
  readonly shape: string
  readonly values: readonly unknown[]
  /** Slots are places in `values`. */
  readonly condition: (at: WordsColumn) => Raw
  /** The better the higher. Slots are places in `values`. */
  readonly score: (at: WordsColumn) => Raw
}

export interface WordsColumn {
  /** Alias of the table that is asked, quoted. */
  readonly table: string
  /** Its column for words: for knex, and quoted with the alias. */
  readonly column: string
  readonly place: string
  /** The columns that identify the found row, quoted and qualified. */
  readonly ids: readonly string[]
  /** The table with a row per word, for knex, where there is one. */
  readonly rows: string | undefined
}

/** Statements that keep a table with a row per word in step; all names are those for knex. */
export interface WordRows {
  readonly table: (table: string) => string
  /** Writes the words of rows, or of the one whose ids are bound, from the column. */
  readonly add: (place: WordsPlace, one: boolean) => Raw
  /** Removes the words of the row whose ids are bound. */
  readonly remove: (place: WordsPlace) => Query
}

/** Where words are: the table, its column of words, what identifies its rows, and the table with a row per word. */
export interface WordsPlace {
  readonly table: string
  readonly column: string
  readonly ids: readonly string[]
  readonly rows: string
}

/** What conditions, groups and orders use for a column. */
export function valueOf(column: string, type: StoredType, { loose }: Dialect): string {
  return type.loose && loose ? loose.value(column) : column
}

/** SQL for columns where every number but 0 is true. */
export interface LooseBooleans {
  /** One of the two literals, or NULL. */
  value(column: string): string
  /** Conditions that can use an index; NULL fulfils neither. */
  isTrue(column: string): string
  isFalse(column: string): string
}

/** A table for knex, with its schema where a dot separates them. */
export function tableKey(table: string, { schemas }: Pick<Dialect, 'schemas'>): string {
  return schemas ? table.split('.').map(key).join('.') : key(table)
}

/** The same in quotes, for pieces of SQL. */
export function quotedTable(table: string, { schemas, builder }: Pick<Dialect, 'schemas' | 'builder'>): string {
  return schemas ? quoted(builder, ...table.split('.')) : quoted(builder, table)
}
