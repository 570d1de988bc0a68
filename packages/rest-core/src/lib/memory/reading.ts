import type { FieldValue } from '../fields/field-type.js'
import { compareRecords } from '../filter/compare.js'
import type { Filter } from '../filter/filter.js'
import { matches } from '../filter/matches.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, ObjectModel, Order, ReadableField, Selection } from '../model/model.js'
import type { View } from './memory-data.js'
import type { Row } from './rows.js'

/** Whether rows match; made once for many rows. */
export function rowTest(view: View, object: ObjectModel, where: Filter | undefined): (row: Row) => boolean {
  if (!where) return () => true
  const fields = [...fieldNames(where)].map((name) => object.readable.get(name) as ReadableField)
  return (row) => matches(where, readFields(view, row, fields), object)
}

/** The rows in this order. */
export function sortRows(view: View, object: ObjectModel, rows: readonly Row[], order: readonly Order[]): Row[] {
  const fields = order.map(({ field }) => object.readable.get(field) as ReadableField)
  const records = new Map(rows.map((row) => [row, readFields(view, row, fields)]))
  const compare = compareRecords(order, object)
  return rows.toSorted((a, b) => compare(records.get(a) as BusinessRecord, records.get(b) as BusinessRecord))
}

/** The row as a record; changing it does not change the row. */
export function toRecord(view: View, row: Row, select: Selection): BusinessRecord {
  const record = readFields(view, row, select.fields)
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'object') record[name] = structuredClone(value)
  }
  return record
}

/** The values of some fields; arrays and objects in it are those of the row. */
export function readFields(view: View, row: Row, fields: readonly ReadableField[]): BusinessRecord {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(view, row, field)])) as BusinessRecord
}

/** Empty when a link on the way is missing. */
function valueOf(view: View, row: Row, field: ReadableField): FieldValue {
  let at: Row | undefined = row
  for (const { column, target } of field.path) {
    const linked: FieldValue | undefined = at?.get(column)
    at = linked === undefined ? undefined : view.get(target.table, linked as string)
  }
  const { column, type } = baseField(field)
  return at?.get(column) ?? type.empty
}

function fieldNames(filter: Filter): Set<string> {
  if ('field' in filter) return new Set([filter.field])
  return new Set(filter.terms.flatMap((term) => [...fieldNames(term)]))
}
