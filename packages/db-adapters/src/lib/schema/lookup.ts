import type { Catalogue } from './dialect.js'
import type { ColumnInfo, TableInfo } from './table-info.js'

/** Finds tables and columns by name in the way the database does. */
export interface Lookup {
  readonly foldTable: (name: string) => string
  readonly foldColumn: (name: string) => string
  readonly sameColumn: (a: string, b: string) => boolean
  /** The same columns in any order. */
  readonly sameColumns: (a: readonly string[], b: readonly string[]) => boolean
  table(name: string): TableInfo | undefined
  column(table: TableInfo, name: string): ColumnInfo | undefined
}

export function lookupIn({ tables, foldsTableNames, foldsColumnNames }: Catalogue): Lookup {
  const foldTable = folding(foldsTableNames)
  const foldColumn = folding(foldsColumnNames)
  const byName = new Map(tables.map((table) => [foldTable(table.name), table]))
  const sameColumn = (a: string, b: string): boolean => foldColumn(a) === foldColumn(b)
  return {
    foldTable,
    foldColumn,
    sameColumn,
    sameColumns: (a, b) => a.length === b.length && a.every((one) => b.some((other) => sameColumn(one, other))),
    table: (name) => byName.get(foldTable(name)),
    column: (table, name) => table.columns.find((column) => sameColumn(column.name, name)),
  }
}

function folding(folds: boolean): (name: string) => string {
  return folds ? (name) => name.toLowerCase() : (name) => name
}
