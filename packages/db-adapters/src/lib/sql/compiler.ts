import type { Filter, ObjectModel, Query, ReadOptions, Selection, Values } from '@steward/rest-core'
import type { Dialect } from './dialect.js'
import type { Call } from './statement.js'

/**
 * Turns requests to a store into statements and bound values. Each shape (object, operation, selection, structure of the
 * filter, order, kind of paging, lock) is compiled once by knex and kept in a bounded cache; after that a request only binds.
 * `undefined` means: no row can match, because the row id cannot be one of this table; nothing needs to be executed.
 *
 * @throws StoreError `value` for values that the column cannot hold
 */
export interface Compiler {
  /** `gives: 'records'`, at most one row. */
  get(object: ObjectModel, rowId: string, options: ReadOptions): Call | undefined
  /** `gives: 'records'`. */
  search(object: ObjectModel, query: Query): Call
  /** `gives: 'count'`. */
  count(object: ObjectModel, where: Filter | undefined): Call
  /**
   * `gives: 'records'` (one row), except: `changes` where the dialect rereads and the id is the driver's insert id or a given
   * `values.row_id`; `id` where one statement cannot give the joined fields (an object that joins itself, with `cte`).
   * In both cases the adapter goes on with `get` in the same transaction.
   */
  insert(object: ObjectModel, values: Values, select: Selection): Call
  /** `records` (one row, or none when it is not there or does not match `where`), or `changes` to be followed by `get` without `where`. */
  update(object: ObjectModel, rowId: string, values: Values, options: ReadOptions): Call | undefined
  /** `gives: 'changes'`. */
  delete(object: ObjectModel, rowId: string, where: Filter | undefined): Call | undefined
}

export interface CompilerOptions {
  /** Most shapes kept. Default 500. */
  readonly shapes?: number
}

export declare function createCompiler(dialect: Dialect, options?: CompilerOptions): Compiler
