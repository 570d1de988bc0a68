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

/** Field types whose values have one text each, as a row id of several fields needs it. */
const rowKeyTypes = new Set([...keyTypes, 'text', 'reference'])

/** The columns that identify rows together, or why they cannot; undefined when there are not several. */
export function severalOf(
  { primaryKey, columns, implicitId }: TableInfo,
  rules: IntrospectionRules,
): [string, ...string[]] | string | undefined {
  const [first, ...others] = primaryKey
  if (first === undefined || others.length === 0) return undefined
  for (const name of primaryKey) {
    const column = columns.find((each) => each.name === name)
    const type = column && fieldTypeOf(column.type, true, rules)?.type
    const place = `its primary key (${primaryKey.join(', ')}) has a column "${name}"`
    if (!column || type === undefined || !rowKeyTypes.has(type) || column.type.kind === 'float')
      return `${place} whose values have no exact text (${column?.declaration ?? ''})`
    // SQLite takes NULL in a primary key, and such rows would have no id.
    if (implicitId !== undefined && column.nullable) return `${place} that may be empty`
  }
  return [first, ...others]
}

export function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a.length === b?.length && a.every((one, at) => one === b[at])
}

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
    const isGiven = column && !column.generated && (column.isWritable !== false || info.isWritable === false)
    const type = isGiven ? fieldTypeOf(column.type, true, rules) : undefined
    return type !== undefined && keyTypes.has(type.type)
  }
}
