import type { ChangeOf } from './changes.js'
import { lookupIn } from './lookup.js'
import type { Catalogue } from './dialect.js'
import type { TableInfo } from './table-info.js'
import type { WantedTable } from './wanted.js'

export type Rename = ChangeOf<'renameTable'> | ChangeOf<'renameColumn'>

/** Renames that definitions hint at: the old name is there and not used otherwise, and the new one is not there. */
export function findRenames(wanted: readonly WantedTable[], catalogue: Catalogue): Rename[] {
  const { table: find, column: findColumn, foldTable, foldColumn } = lookupIn(catalogue)
  const wantedNames = new Set(wanted.map(({ name }) => foldTable(name)))
  const renames: Rename[] = []
  for (const { name, renamedFrom, columns } of wanted) {
    const old = renamedFrom === undefined || wantedNames.has(foldTable(renamedFrom)) ? undefined : find(renamedFrom)
    const there = find(name) ?? old
    if (there?.kind !== 'table') continue
    if (there === old) renames.push({ kind: 'renameTable', table: name, from: there.name })
    const wantedColumns = new Set(columns.map((column) => foldColumn(column.name)))
    const taken = new Set<string>()
    for (const column of columns) {
      const from = column.renamedFrom === undefined ? undefined : findColumn(there, column.renamedFrom)
      if (!from || findColumn(there, column.name) || wantedColumns.has(foldColumn(from.name)) || taken.has(from.name))
        continue
      taken.add(from.name)
      renames.push({ kind: 'renameColumn', table: name, column: column.name, from: from.name })
    }
  }
  return renames
}

/** The catalogue as it will be after the renames. */
export function applyRenames(catalogue: Catalogue, renames: readonly Rename[]): Catalogue {
  if (renames.length === 0) return catalogue
  const { foldTable, sameColumn } = lookupIn(catalogue)
  const tableOf = (name: string): string => {
    const rename = renames.find(({ kind, from }) => kind === 'renameTable' && foldTable(from) === foldTable(name))
    return rename?.table ?? name
  }
  const columnsOf = (table: string, names: readonly string[]): string[] => names.map((name) => columnOf(table, name))
  const columnOf = (table: string, name: string): string => {
    const rename = renames.find(
      (each) =>
        each.kind === 'renameColumn' && foldTable(each.table) === foldTable(table) && sameColumn(each.from, name),
    )
    return rename?.kind === 'renameColumn' ? rename.column : name
  }
  const renamed = (table: TableInfo): TableInfo => {
    const name = tableOf(table.name)
    return {
      ...table,
      name,
      columns: table.columns.map((column) => ({ ...column, name: columnOf(name, column.name) })),
      primaryKey: columnsOf(name, table.primaryKey),
      indexes: table.indexes.map((index) => ({ ...index, columns: columnsOf(name, index.columns) })),
      wordIndexes: table.wordIndexes.map((index) => ({ ...index, column: columnOf(name, index.column) })),
      foreignKeys: table.foreignKeys.map((key) => ({
        ...key,
        columns: columnsOf(name, key.columns),
        table: tableOf(key.table),
        targetColumns: columnsOf(tableOf(key.table), key.targetColumns),
      })),
    }
  }
  return { ...catalogue, tables: catalogue.tables.map(renamed) }
}
