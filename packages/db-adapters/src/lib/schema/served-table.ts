import type { ColumnInfo, TableInfo } from './table-info.js'

interface ServedId {
  /** Several identify rows together; their fields make the row id. */
  readonly columns: readonly [string, ...string[]]
  readonly values: 'integer' | 'string' | 'uuid'
  /** The database gives ids that a request does not give. */
  readonly assigned: boolean
  /** Otherwise the store makes a UUID. */
  readonly takesUuid: boolean
}

/** A table that can be served. */
export interface ServedTable {
  readonly info: TableInfo
  readonly object: string
  readonly id: ServedId
  /** Columns that are fields, by column name, with the name of the field. */
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly column: ColumnInfo }>
  readonly timestamps: boolean
  /** Its rows are known by a column that the database does not promise to identify them, so they cannot be changed. */
  readonly isGuessed: boolean
  /** Columns of the functional key; may be empty. */
  readonly key: readonly string[]
  readonly leftOut: readonly { readonly column: string; readonly reason: string }[]
}
