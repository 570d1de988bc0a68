import { bytesDigits, shownBytes } from '../documents/column-content.js'
import type { FieldValue } from '../fields/field-value.js'
import { rowIdOf } from '../fields/row-key.js'
import { compareRecords } from '../filter/compare.js'
import type { Filter } from '../filter/filter.js'
import { matches } from '../filter/matches.js'
import { baseField } from '../model/model.js'
import type {
  BusinessRecord,
  FieldModel,
  ObjectModel,
  Order,
  ReadableField,
  ReferenceModel,
  Selection,
} from '../model/model.js'
import { chainOf } from '../rights/links.js'
import type { Guard } from '../store.js'
import type { View } from './memory-data.js'
import type { Row } from './rows.js'

type RowTest = (row: Row) => boolean

/** Tests of linked rows by the chain of references that leads to them. */
export type Guarding = ReadonlyMap<string, RowTest>

/** What guards mean on a view; made once for many rows. */
export function guarding(view: View, guards: readonly Guard[] = []): Guarding {
  return new Map(
    guards.map(({ path, where }) => [chainOf(path), rowTest(view, (path.at(-1) as ReferenceModel).target, where)]),
  )
}

/** Whether rows match; made once for many rows. */
export function rowTest(view: View, object: ObjectModel, where: Filter | undefined, guards?: Guarding): RowTest {
  if (!where) return () => true
  if (where.op === 'guarded') {
    if (!guards) throw new TypeError('A guarded filter needs the guards of its query.')
    return recordTest(view, object, { op: 'and', terms: where.terms }, guards)
  }
  if (!isGuarded(where)) return recordTest(view, object, where)
  const tests = (where as Group).terms.map((term) => rowTest(view, object, term, guards))
  return where.op === 'or' ? (row) => tests.some((test) => test(row)) : (row) => tests.every((test) => test(row))
}

type Group = Extract<Filter, { terms: unknown }>

function isGuarded(filter: Filter): boolean {
  return 'terms' in filter && (filter.op === 'guarded' || filter.terms.some(isGuarded))
}

function recordTest(view: View, object: ObjectModel, where: Filter, guards?: Guarding): RowTest {
  const fields = [...fieldNames(where)].map((name) => object.field(name) as ReadableField)
  return (row) => matches(where, readFields(view, row, fields, guards), object)
}

/** The rows in this order. */
export function sortRows(
  view: View,
  object: ObjectModel,
  rows: readonly Row[],
  order: readonly Order[],
  guards?: Guarding,
): Row[] {
  const fields = order.map(({ field }) => object.field(field) as ReadableField)
  const records = new Map(rows.map((row) => [row, readFields(view, row, fields, guards)]))
  const compare = compareRecords(order, object)
  return rows.toSorted((a, b) => compare(records.get(a) as BusinessRecord, records.get(b) as BusinessRecord))
}

/** The row as a record; changing it does not change the row. */
export function toRecord(view: View, row: Row, select: Selection, guards?: Guarding): BusinessRecord {
  const record = readFields(view, row, select.fields, guards)
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === 'object') record[name] = structuredClone(value)
  }
  return record
}

/** The values of some fields; arrays and objects in it are those of the row. */
export function readFields(view: View, row: Row, fields: readonly ReadableField[], guards?: Guarding): BusinessRecord {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(view, row, field, guards)])) as BusinessRecord
}

/** Empty when a link on the way is missing, or leads to a row that may not be seen. */
function valueOf(view: View, row: Row, field: ReadableField, guards: Guarding | undefined): FieldValue {
  let at: Row | undefined = row
  for (const [end, reference] of field.path.entries()) {
    const { target } = reference
    const linked: FieldValue | undefined = at && ownValue(at, reference)
    at = linked === undefined ? undefined : view.get(target.table, linked as string)
    if (at && guards?.get(chainOf(field.path.slice(0, end + 1)))?.(at) === false) at = undefined
  }
  const base = baseField(field)
  return (at && ownValue(at, base)) ?? base.type.empty
}

/** What a row holds in a field. */
export function ownValue(row: Row, { column, columnType, parts }: FieldModel): FieldValue | undefined {
  if (parts) return rowIdOf(parts, (part) => row.get(part.column)) || undefined
  const value = row.get(column)
  return columnType.kind === 'bytes' && value !== undefined && !columnType.whole
    ? shownBytes(bytesDigits(value).length / 2)
    : value
}

function fieldNames(filter: Filter): Set<string> {
  if ('field' in filter) return new Set([filter.field])
  return new Set(filter.terms.flatMap((term) => [...fieldNames(term)]))
}
