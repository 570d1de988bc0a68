import type { Change } from './changes.js'
import { isOwnName, ownName } from './names.js'
import type { PlannedColumns } from './plan-columns.js'
import { isElsewhere, type PlanContext } from './plan-context.js'
import type { ForeignKeyInfo, TableInfo } from './table-info.js'
import type { WantedColumn, WantedTable } from './wanted.js'

/**
 * Adds a foreign key per reference where the tables allow it; drops those that `sync` has made and nothing needs any
 * more. A foreign key of the owner between the same columns is taken as it is, whatever it does on delete.
 */
export function planForeignKeys(
  wanted: WantedTable,
  actual: TableInfo | undefined,
  columns: PlannedColumns,
  context: PlanContext,
): Change[] {
  const { lookup } = context
  const table = wanted.name
  const changes: Change[] = []
  const used = new Set<ForeignKeyInfo>()
  for (const column of wanted.columns) {
    if (!column.reference || !isPossible(column)) continue
    const { reference } = column
    const there = (actual?.foreignKeys ?? []).filter((key) => links(key, column))
    const fitting = there.find(({ name, onDelete }) => onDelete === reference.onDelete || !isOwnName(name))
    if (fitting) {
      used.add(fitting)
      continue
    }
    const name = context.giveName(ownName('foreignKey', table, [column.name]))
    const { table: target, column: targetColumn, onDelete } = reference
    changes.push({ kind: 'addForeignKey', table, name, column: column.name, target, targetColumn, onDelete })
  }
  for (const key of actual?.foreignKeys ?? []) {
    if (isOwnName(key.name) && !used.has(key)) {
      changes.push({ kind: 'dropForeignKey', table, name: key.name, column: key.columns[0] as string })
    }
  }
  return changes

  function links(key: ForeignKeyInfo, { name, reference }: WantedColumn): boolean {
    return (
      lookup.sameColumns(key.columns, [name]) &&
      lookup.foldTable(key.table) === lookup.foldTable(reference?.table as string) &&
      lookup.sameColumns(key.targetColumns, [reference?.column as string])
    )
  }

  function isPossible({ name, reference }: WantedColumn): boolean {
    if (!reference || actual?.foreignKeysSupported === false) return false
    const target = lookup.table(reference.table)
    if (!target) return !isElsewhere(reference.table, context)
    const id = lookup.column(target, reference.column)
    const unique = [
      target.primaryKey,
      ...target.indexes.filter((index) => index.unique && index.plain).map((index) => index.columns),
    ]
    return (
      target.kind === 'table' &&
      target.foreignKeysSupported &&
      id !== undefined &&
      unique.some((names) => lookup.sameColumns(names, [id.name])) &&
      context.types.linkable(columns.of(name), id)
    )
  }
}
