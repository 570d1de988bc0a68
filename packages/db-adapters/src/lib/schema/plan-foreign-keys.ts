import type { Change } from './changes.js'
import { isOwnName, ownName } from './names.js'
import type { PlannedColumns } from './plan-columns.js'
import { isElsewhere, type PlanContext } from './plan-context.js'
import type { ForeignKeyInfo, TableInfo } from './table-info.js'
import type { WantedLink, WantedTable } from './wanted.js'

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
  for (const link of wanted.links) {
    if (!isPossible(link)) continue
    const there = (actual?.foreignKeys ?? []).filter((key) => links(key, link))
    const fitting = there.find(({ name, onDelete }) => onDelete === link.onDelete || !isOwnName(name))
    if (fitting) {
      used.add(fitting)
      continue
    }
    const { columns: names, table: target, targetColumns, onDelete } = link
    const name = context.giveName(ownName('foreignKey', table, names))
    changes.push({ kind: 'addForeignKey', table, name, columns: names, target, targetColumns, onDelete })
  }
  for (const key of actual?.foreignKeys ?? []) {
    if (isOwnName(key.name) && !used.has(key)) {
      changes.push({ kind: 'dropForeignKey', table, name: key.name, columns: key.columns })
    }
  }
  return changes

  function links(key: ForeignKeyInfo, link: WantedLink): boolean {
    return (
      lookup.foldTable(key.table) === lookup.foldTable(link.table) &&
      key.columns.length === link.columns.length &&
      link.columns.every((name, at) => {
        const place = key.columns.findIndex((each) => lookup.sameColumn(each, name))
        return place >= 0 && lookup.sameColumn(key.targetColumns[place] as string, link.targetColumns[at] as string)
      })
    )
  }

  function isPossible({ columns: names, table: targetName, targetColumns }: WantedLink): boolean {
    if (actual?.foreignKeysSupported === false) return false
    const target = lookup.table(targetName)
    if (!target) return context.wanted.has(lookup.foldTable(targetName)) && !isElsewhere(targetName, context)
    const ids = targetColumns.map((name) => lookup.column(target, name))
    const unique = [
      target.primaryKey,
      ...target.indexes.filter((index) => index.unique && index.plain).map((index) => index.columns),
    ]
    return (
      target.kind === 'table' &&
      target.foreignKeysSupported &&
      unique.some((each) => lookup.sameColumns(each, targetColumns)) &&
      ids.every((id, at) => id !== undefined && context.types.linkable(columns.of(names[at] as string), id))
    )
  }
}
