import { decimalValue, integerValue, jsonText, readJsonText } from '@steward/rest-core'
import type { ColumnType, FieldValue, JsonValue } from '@steward/rest-core'
import type { Present } from '../sql/dialect.js'

/** The text of a value; all values go to database servers as texts, so that none loses digits on the way. */
export function encodeText(value: FieldValue, { kind }: ColumnType): string {
  if (kind === 'list') return `;${(value as readonly string[]).join(';')};`
  if (kind === 'json') return jsonText(value as JsonValue)
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

/** Existing columns may have fractions of a second, or a time zone after it. */
export function readDatetime(value: Present): FieldValue {
  return (value as string).length === 19 ? (value as string) : (value as string).slice(0, 19)
}

export function readTime(value: Present): FieldValue {
  return (value as string).length === 8 ? (value as string) : (value as string).slice(0, 8)
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
