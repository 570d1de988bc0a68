import type { IntrospectionRules } from './dialect.js'
import { fieldTypeOf } from './introspect-column.js'
import { isOwnKey } from './names.js'
import type { ColumnInfo, IndexInfo, TableInfo } from './table-info.js'

/** Columns that have a unique index of their own. */
export function uniqueColumns({ indexes }: TableInfo): ReadonlySet<string> {
  return new Set(
    indexes
      .filter(({ unique, plain, columns }) => unique && plain && columns.length === 1)
      .map(({ columns }) => columns[0] as string),
  )
}

/** Field types that a functional key may have. */
const keyTypes = new Set(['string', 'integer', 'decimal', 'boolean', 'date', 'datetime', 'time', 'enum'])

/**
 * The functional key: what `sync` has marked as one, else the unique index with the fewest columns, all filled and none a
 * foreign key; the first of several by name. Empty when there is none.
 */
export function keyOf(
  info: TableInfo,
  fields: ReadonlyMap<string, { readonly column: ColumnInfo }>,
  rules: IntrospectionRules,
): readonly string[] {
  const linked = new Set(info.foreignKeys.flatMap(({ columns }) => columns))
  const primary: IndexInfo = { name: '', columns: info.primaryKey, unique: true, plain: info.primaryKey.length > 1 }
  const candidates = [primary, ...info.indexes].filter(
    ({ unique, plain, columns }) => unique && plain && columns.every(isPossible),
  )
  const own = candidates.find(({ name }) => isOwnKey(name))
  if (own) return own.columns
  const filled = candidates.filter(({ columns }) =>
    columns.every((name) => !fields.get(name)?.column.nullable && !linked.has(name)),
  )
  return filled.toSorted((a, b) => a.columns.length - b.columns.length)[0]?.columns ?? []

  function isPossible(name: string): boolean {
    const column = fields.get(name)?.column
    const type = column && !column.generated ? fieldTypeOf(column.type, true, rules) : undefined
    return type !== undefined && keyTypes.has(type.type)
  }
}
