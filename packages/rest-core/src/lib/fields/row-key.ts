import { isDeepStrictEqual } from 'node:util'
import { StoreError } from '../../errors.js'
import type { FieldModel, ObjectModel } from '../model/model.js'
import type { ColumnType } from './field-type.js'
import { isEmpty, Problem } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { formatNumber } from './number-value.js'

/** Stands between the values of a row id that consists of several fields. */
export const keySeparator = '~'

const plain = /^[\w-]*$/
const special = /[^\w-]/gu
const escaped = /^(?:[\w-]|\.\.|\.[\dA-F]{2})*$/
const escapes = /(?:\.[\dA-F]{2})+|\.\./g

/**
 * One value of a row id of several fields, in characters that a URL takes as they are: letters, digits, `_` and `-` stand
 * for themselves, a dot is `..`, everything else the bytes of its UTF-8 as `.XX`.
 */
export function escapeKeyText(text: string): string {
  if (plain.test(text)) return text
  return text.replace(special, (character) =>
    character === '.' ? '..' : Buffer.from(character).toString('hex').toUpperCase().replaceAll(/../g, '.$&'),
  )
}

/** The text that was escaped; for one that `escapeKeyText` does not give, any text or `undefined`. */
function readKeyText(text: string): string | undefined {
  if (plain.test(text)) return text
  if (!escaped.test(text)) return undefined
  return text.replace(escapes, (escape) =>
    escape === '..' ? '.' : Buffer.from(escape.replaceAll('.', ''), 'hex').toString(),
  )
}

/** Makes the part of a row id of a field's value, which is filled or an empty text. */
export function keyTextOf({ kind }: ColumnType): (value: FieldValue) => string {
  if (kind === 'integer' || kind === 'boolean') return String
  if (kind === 'decimal') return (value) => escapeKeyText(formatNumber(value))
  return (value) => escapeKeyText(value as string)
}

/** The row id that these values make; empty when one of them is missing. */
export function rowIdOf(parts: readonly FieldModel[], valueOf: (field: FieldModel) => FieldValue | undefined): string {
  const texts: string[] = []
  for (const field of parts) {
    const value = valueOf(field)
    if (isEmpty(value)) return ''
    texts.push(keyTextOf(field.columnType)(value as FieldValue))
  }
  return texts.join(keySeparator)
}

/**
 * The values that form a row id of several fields.
 *
 * @param parts Fields that take them, of the object itself or those of a reference to it.
 * @returns `undefined` for a text that is the id of no row; every row has one id.
 */
export function readRowId(parts: readonly FieldModel[], rowId: string): FieldValue[] | undefined {
  const values: FieldValue[] = []
  const last = parts.length - 1
  let start = 0
  // Each get does this: no list of texts, no regular expression for numbers.
  for (let at = 0; at <= last; at++) {
    const separator = rowId.indexOf(keySeparator, start)
    if (separator < 0 !== (at === last)) return undefined
    const end = at === last ? rowId.length : separator
    const value = readKeyValue(parts[at] as FieldModel, rowId, start, end)
    if (value === undefined) return undefined
    values.push(value)
    start = end + 1
  }
  return values
}

function readKeyValue(field: FieldModel, rowId: string, start: number, end: number): FieldValue | undefined {
  if (field.columnType.kind === 'integer' && end - start <= 15) return readInteger(rowId, start, end)
  const given = rowId.slice(start, end)
  const text = readKeyText(given)
  const value = text === undefined ? undefined : valueOf(field, text)
  return value === undefined || keyTextOf(field.columnType)(value) !== given ? undefined : value
}

/** A whole number of at most 15 characters in the one form that has no sign `+`, no leading zeros and no `-0`. */
function readInteger(text: string, start: number, end: number): number | undefined {
  const isNegative = text.charCodeAt(start) === 45
  const first = isNegative ? start + 1 : start
  if (first >= end || (text.charCodeAt(first) === 48 && (isNegative || end - first > 1))) return undefined
  let number = 0
  for (let at = first; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    number = number * 10 + digit
  }
  return isNegative ? -number : number
}

/**
 * The values of a change without those that the row id says already.
 *
 * @throws StoreError `value` for others: what identifies a row does not change.
 */
export function withoutKey<V extends Readonly<Record<string, FieldValue>>>(
  { name, id: { parts } }: ObjectModel,
  rowId: string,
  values: V,
): V {
  if (!parts?.some((part) => values[part.name] !== undefined)) return values
  const key = readRowId(parts, rowId) ?? []
  const kept: Record<string, FieldValue> = { ...values }
  for (const [at, part] of parts.entries()) {
    const value = kept[part.name]
    delete kept[part.name]
    if (value === undefined || isDeepStrictEqual(value, key[at])) continue
    const text = `Cannot change "${part.name}" of "${name}": it is part of the row id. Insert a new row and delete this one.`
    throw new StoreError('value', text)
  }
  return kept as V
}

function valueOf(field: FieldModel, text: string): FieldValue | undefined {
  const { kind } = field.columnType
  // A table that others have made may hold texts that the field does not take.
  if (kind === 'string' || kind === 'text') return text
  if (text === '') return undefined
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const value = field.type.parse(text, field)
  return value instanceof Problem || isEmpty(value) ? undefined : value
}
