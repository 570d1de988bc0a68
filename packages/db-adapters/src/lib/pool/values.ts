import { decimalValue, floatValue, integerValue, jsonText, readJsonText } from '@steward/rest-core'
import type { ColumnType, FieldValue } from '@steward/rest-core'
import type { Present, StoredType } from '../sql/dialect.js'

/** The text of a value; all values go to database servers as texts, so that none loses digits on the way. */
export function encodeText(value: FieldValue, { kind }: ColumnType): string {
  if (kind === 'list') return `;${(value as readonly string[]).join(';')};`
  if (kind === 'json') return jsonText(value)
  return typeof value === 'string' ? value : String(value)
}

export function readInteger(value: Present): FieldValue {
  return typeof value === 'number' ? value : integerValue(String(value))
}

export function readDecimal(value: Present): FieldValue {
  const text = String(value)
  const number = Number(text)
  // Up to 15 characters a double holds all digits; NaN and large exponents take the other way.
  return text.length <= 15 && number < 1e15 && number > -1e15 ? number + 0 : decimalValue(text)
}

/** The text of a floating-point number, or the number, that is not declared with digits. */
export function readFloat(storage: 'double' | 'single', extended: boolean): (value: Present) => FieldValue {
  return (value) => floatValue(value as string | number, storage, extended)
}

/** What comes before the fraction of a second, the fraction, a time zone, and the era. */
const moment = /^(\d+-\d+-\d+ [\d:]+)(?:\.(\d+))?(?:[+-][\d:]+)?( BC)?$/
const clock = /^(-?\d+:\d+:\d+)(?:\.(\d+))?$/

/** Existing columns may have fractions of a second, which are answered if the field has some, or a time zone after it. */
export function datetimeReader({ precision = 0 }: { readonly precision?: number }): (value: Present) => FieldValue {
  return (value) => {
    const text = value as string
    if (text.length === 19) return text
    const [, start, fraction = '', era = ''] = moment.exec(text) ?? []
    return start === undefined ? text : `${start}${fractionOf(fraction, precision)}${era}`
  }
}

export function timeReader({ precision = 0 }: { readonly precision?: number }): (value: Present) => FieldValue {
  return (value) => {
    const text = value as string
    if (text.length === 8) return text
    const [, start, fraction = ''] = clock.exec(text) ?? []
    return start === undefined ? text : `${start}${fractionOf(fraction, precision)}`
  }
}

/** All that is there, without zeros at its end. */
function fractionOf(digits: string, precision: number): string {
  const kept = precision === 0 ? '' : digits.replace(/0+$/, '')
  return kept === '' ? '' : `.${kept}`
}

/** Whether the column may hold a fraction of a second that its field does not show. */
export function isCut(type: StoredType): boolean {
  return (type.kind === 'datetime' || type.kind === 'time') && !type.precision && type.facts?.fraction === true
}

/** Whether the column holds floating-point numbers of single precision. */
export function isSingle(type: StoredType): boolean {
  return type.kind === 'decimal' && (type.storage === 'single' || type.facts?.single === true)
}

/** `;a;b;` */
export function readList(value: Present): FieldValue {
  return (value as string).split(';').filter((code) => code !== '')
}

/** Existing columns may hold texts that are not JSON. */
export function readJson(value: Present): FieldValue {
  if (value === '') return null
  try {
    return readJsonText(value as string)
  } catch {
    return value as string
  }
}

export function isIdType(type: ColumnType): type is Extract<ColumnType, { readonly kind: 'id' | 'reference' }> {
  return type.kind === 'id' || type.kind === 'reference'
}

export function isTextType({ kind }: ColumnType): boolean {
  return kind === 'string' || kind === 'text' || kind === 'list'
}
