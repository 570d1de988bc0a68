import type { ColumnInfo } from './table-info.js'

/** A column of a view that takes writes as that of its table: the catalogue does not say what fills it. */
export function filledAs(column: ColumnInfo, base: ColumnInfo | undefined): ColumnInfo {
  if (!base) return column
  const { nullable, hasDefault, autoIncrement, generated, default: value } = base
  return {
    ...column,
    nullable,
    hasDefault,
    autoIncrement,
    generated: generated || column.generated,
    default: value,
  }
}
