import { filterKeywords } from '@steward/rest-core'
import type { FieldDefinition } from '@steward/rest-core'
import { displayOf } from './introspect-display.js'
import { fieldName, uniqueNames } from './object-names.js'
import type { ServedTable } from './served-table.js'
import type { TableInfo } from './table-info.js'

/** The field of a column. */
export function nameOf({ fields }: ServedTable, column: string): string {
  return fields.get(column)?.name as string
}

/** References by foreign keys of several columns, to row ids of several fields; named after their objects. */
export function referencesOf(
  table: ServedTable,
  find: (name: string) => ServedTable | undefined,
  taken: Readonly<Record<string, unknown>>,
): Record<string, FieldDefinition> {
  const giveName = uniqueNames([...Object.keys(taken), ...filterKeywords], '_')
  const references: Record<string, FieldDefinition> = {}
  const known = new Set<string>()
  for (const { columns, targetColumns, table: targetName, onDelete } of table.info.foreignKeys) {
    const target = find(targetName)
    if (!target || target.id.columns.length < 2 || columns.length !== target.id.columns.length) continue
    const held = target.id.columns.map((column) => columns[targetColumns.indexOf(column)])
    if (held.some((column) => column === undefined || !table.fields.has(column))) continue
    const via = (held as string[]).map((column) => nameOf(table, column))
    if (known.has(`${target.object} ${via.join()}`)) continue
    known.add(`${target.object} ${via.join()}`)
    const nullable = (held as string[]).every((column) => table.fields.get(column)?.column.nullable)
    references[giveName(fieldName(target.object))] = {
      type: 'reference',
      object: target.object,
      via,
      display: displayOf(target),
      ...(isIndexed(table.info, held as string[]) ? {} : { index: false }),
      ...(onDelete === 'cascade' || (onDelete === 'setNull' && nullable) ? { onDelete } : {}),
    }
  }
  return references
}

function isIndexed({ indexes, primaryKey }: TableInfo, held: readonly string[]): boolean {
  const lists = [primaryKey, ...indexes.filter(({ plain }) => plain).map(({ columns }) => columns)]
  return lists.some((columns) => held.every((column) => columns.slice(0, held.length).includes(column)))
}
