import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { isEmpty, Problem } from '../fields/field-type.js'
import { baseField } from '../model/model.js'
import type { ObjectModel, Order, ReadableField } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { readOrder } from './read-order.js'

/**
 * The values of a record in the fields of an order; the row id is the last. `null` for a text that is NULL, where a table that
 * others made may hold empty ones as well.
 */
export type CursorPlace = readonly FieldValue[]

const version = 2

/** Not specified; chosen so that a cursor fits into the headers and addresses that clients and proxies take. */
const longestPlace = 3000

/**
 * The order of a search by cursor. A cursor reveals the values that it stands at, so fields that the user cannot see are left out of
 * the object's own order. It ends with the row id, in the direction of the field before it, so that an index on that field
 * gives the whole order.
 */
export function cursorOrder(access: Access, asked: readonly Order[] | undefined): readonly Order[] {
  const { object } = access
  const order = readOrder(access, asked).filter(({ field: name }) => {
    const field = object.field(name) as ReadableField
    return isJoined(field) || field.visible
  })
  const end = order.findIndex(({ field }) => field === 'row_id')
  const before = order[end - 1]
  const isNamed = asked?.length
    ? asked.some(({ field }) => field === 'row_id')
    : (object.definition.order ?? []).some((text) => /^[-+]?row_id$/.test(text))
  if (!before || isNamed) return order.slice(0, end + 1)
  return [...order.slice(0, end), { field: 'row_id', descending: before.descending }]
}

/** @throws RestError ERR_BAD_REQUEST when the values are too long. */
export function encodeCursor(object: ObjectModel, order: readonly Order[], place: CursorPlace): string {
  const text = JSON.stringify([version, object.name, textOf(order), place])
  if (text.length > longestPlace) {
    throw new RestError(
      'ERR_BAD_REQUEST',
      `The values of record "${String(place.at(-1))}" are too long for a cursor. Sort by another field, or use pages.`,
    )
  }
  return Buffer.from(text).toString('base64url')
}

/**
 * The place that a cursor stands for.
 *
 * @throws RestError ERR_BAD_REQUEST for a text that `encodeCursor` did not make, or made for another object or order.
 */
export function decodeCursor(object: ObjectModel, order: readonly Order[], cursor: string): CursorPlace {
  const [given, name, sort, place] = parse(cursor)
  if (given !== version || !Array.isArray(place)) throw wrong('is none that a search gave')
  if (name !== object.name) throw wrong('is that of another object')
  if (sort !== textOf(order)) throw wrong(`is that of another order than "${textOf(order)}"`)
  const fields = order.map(({ field }) => object.field(field) as ReadableField)
  if (place.length !== fields.length || !fields.every((field, at) => isValue(field, place[at])))
    throw wrong('is none that a search gave')
  return place as CursorPlace
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor.slice(0, 2 * longestPlace), 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** The value is in the form in which records have it. */
function isValue(field: ReadableField, value: unknown): boolean {
  // A text that is not there is `null`.
  if (field.name !== 'row_id' && isEmpty(value as FieldValue))
    return value === field.type.empty || (value === null && field.type.empty === '')
  const parsed = field.type.parse(value, baseField(field))
  return !(parsed instanceof Problem) && parsed === value && !isEmpty(parsed)
}

function textOf(order: readonly Order[]): string {
  return order.map(({ field, descending }) => `${descending ? '-' : ''}${field}`).join()
}

function wrong(why: string): RestError {
  return new RestError('ERR_BAD_REQUEST', `The cursor ${why}; start again with an empty one.`)
}
