import { randomUUID } from 'node:crypto'
import { StoreError } from '../../errors.js'
import { isEmpty, isUnfilled } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import type { Values } from '../store.js'
import { readRowId, rowIdOf, withoutKey } from '../fields/row-key.js'
import type { MemoryData } from './memory-data.js'
import { ownValue } from './reading.js'
import type { Row } from './rows.js'

/** Inserts a row and gives it back. @throws StoreError `unique`, `reference` */
export function insertRow(data: MemoryData, object: ObjectModel, values: Values): Row {
  const attempt = `insert into "${object.table}"`
  if (object.id.parts) {
    const row = changed(new Map(), object, values)
    const id = keyIn(data, object, row, attempt)
    check(data, object, id, row, attempt)
    data.write(object.table, id, row)
    return row
  }
  const takesStrings = object.id.columnType.kind === 'id' && object.id.columnType.values === 'string'
  const id = takesStrings ? randomUUID() : data.table(object.table).nextId()
  const row = changed(new Map([[object.id.column, id]]), object, values)
  check(data, object, id, row, attempt)
  data.write(object.table, id, row)
  return row
}

/** Inserts a row with its id; what it refers to is checked by `checkReferences` later. @throws StoreError `unique` */
export function loadRow(data: MemoryData, object: ObjectModel, values: Values): void {
  const id = object.id.parts ? rowIdOf(object.id.parts, ({ name }) => values[name]) : String(values['row_id'])
  const row = changed(new Map(object.id.parts ? [] : [[object.id.column, id]]), object, values)
  const attempt = `load row ${id} into "${object.table}"`
  if (data.table(object.table).get(id)) throw new StoreError('unique', `Cannot ${attempt}: the row id is taken.`)
  checkUnique(data, object, id, row, attempt)
  data.table(object.table).reserve(id)
  data.write(object.table, id, row)
}

/** @throws StoreError `reference` */
export function checkReferences(data: MemoryData, object: ObjectModel): void {
  for (const row of data.table(object.table).values()) checkLinks(data, object, row, `load "${object.table}"`)
}

/** The free row id that the row's own values make. @throws StoreError `value`, `unique` */
function keyIn(data: MemoryData, object: ObjectModel, row: Row, attempt: string): string {
  const parts = object.id.parts as readonly FieldModel[]
  const id = rowIdOf(parts, ({ column }) => row.get(column))
  const names = parts.map(({ column }) => column).join(', ')
  if (id === '') throw new StoreError('value', `Cannot ${attempt}: ${names} must all have values.`)
  if (data.table(object.table).get(id))
    throw new StoreError('unique', `Cannot ${attempt}: another row has the same ${names}.`)
  return id
}

/** Replaces a row by a changed one and gives it back. @throws StoreError `unique`, `reference` */
export function updateRow(data: MemoryData, object: ObjectModel, id: string, old: Row, values: Values): Row {
  const row = changed(old, object, withoutKey(object, id, values))
  check(data, object, id, row, `update row ${id} of "${object.table}"`)
  data.write(object.table, id, row)
  return row
}

/** Deletes a row and what refers to it, as the references say. @throws StoreError `reference`; nothing is changed then. */
export function deleteRow(data: MemoryData, object: ObjectModel, id: string): void {
  const deleted = new Map([[place(object, id), { object, id }]])
  const emptied: { object: ObjectModel; field: FieldModel; id: string }[] = []
  const refusing: { object: ObjectModel; field: FieldModel; id: string }[] = []
  // Rows that are found on the way join the end of the map, so the loop comes to them too.
  for (const target of deleted.values()) {
    for (const { object: from, field } of target.object.referencedBy) {
      for (const referring of data.table(from.table).like(linkTo(field, target.id), columnsOf(field))) {
        const at = { object: from, field, id: referring }
        if (field.onDelete === 'setNull') emptied.push(at)
        else if (field.onDelete === 'refuse') refusing.push(at)
        else if (!deleted.has(place(from, referring))) deleted.set(place(from, referring), at)
      }
    }
  }
  const refuser = refusing.find((at) => !deleted.has(place(at.object, at.id)))
  if (refuser) {
    const what = `Cannot delete row ${id} of "${object.table}"`
    throw new StoreError(
      'reference',
      `${what}: row ${refuser.id} of "${refuser.object.table}" refers to it by ${refuser.field.column}.`,
    )
  }
  for (const { object: from, field, id: referring } of emptied) {
    const row = data.table(from.table).get(referring)
    const emptiedColumns = columnsOf(field)
    if (row) data.write(from.table, referring, new Map([...row].filter(([column]) => !emptiedColumns.includes(column))))
  }
  for (const each of deleted.values()) data.write(each.object.table, each.id, undefined)
}

/** The columns that hold a value. */
function columnsOf(field: FieldModel): string[] {
  return (field.parts ?? [field]).map(({ column }) => column)
}

/** What these columns hold in a row that refers to this one. */
function linkTo(field: FieldModel, id: string): Row {
  const values = field.parts ? (readRowId(field.parts, id) ?? []) : [id]
  return new Map(columnsOf(field).map((column, at) => [column, values[at] as FieldValue]))
}

function place(object: ObjectModel, id: string): string {
  return `${object.table} ${id}`
}

function changed(row: Row, object: ObjectModel, values: Values): Row {
  const next = new Map<string, FieldValue>(row)
  for (const field of [...object.fields, ...object.technical, ...(object.index ? [object.index.words] : [])]) {
    const value = values[field.name]
    if (value === undefined || field.parts) continue
    if (isUnfilled(value, field)) next.delete(field.column)
    else next.set(field.column, value)
  }
  return next
}

function check(data: MemoryData, object: ObjectModel, id: string, row: Row, what: string): void {
  checkUnique(data, object, id, row, what)
  checkLinks(data, object, row, what, id)
}

function checkUnique(data: MemoryData, object: ObjectModel, id: string, row: Row, what: string): void {
  for (const fields of [object.key, ...object.fields.filter((field) => field.unique).map((field) => [field])]) {
    const columns = fields.map((field) => field.column)
    if (
      columns.length === 0 ||
      data
        .table(object.table)
        .like(row, columns)
        .every((other) => other === id)
    )
      continue
    const taken = columns.map((column) => JSON.stringify(row.get(column))).join(', ')
    throw new StoreError('unique', `Cannot ${what}: another row has the same ${columns.join(', ')} (${taken}).`)
  }
}

/** @param own The id of a row that is not there yet. */
function checkLinks(data: MemoryData, object: ObjectModel, row: Row, what: string, own?: string): void {
  for (const reference of object.references) {
    const { target } = reference
    const linked = ownValue(row, reference)
    if (isEmpty(linked) || (target === object && linked === own)) continue
    if (data.table(target.table).get(linked as string)) continue
    throw new StoreError(
      'reference',
      `Cannot ${what}: ${columnsOf(reference).join(', ')} refers to row ${String(linked)} of "${target.table}", which is not there.`,
    )
  }
}
