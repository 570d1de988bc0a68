import { formatDateTime, locale } from '@steward/page-kit/format'
import type { FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'
import { t } from './i18n.js'
import { numberText } from './number-text.js'

/** The text that people know a code by. */
export function textOfCode(field: FieldMetadata, code: string): string {
  return field.listOfValues?.find((one) => one.code === code)?.value ?? code
}

const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day, with or without a time, of the years 0001 to 9999; existing tables hold others, such as `infinity`. */
function isUsual(value: unknown): boolean {
  return /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$/.test(String(value))
}

/** A value as a text, for people. Empty: empty. */
export function textOf(field: FieldMetadata, value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  switch (kindOf(field)) {
    case 'number':
      return numberText(value, field, locale)
    case 'date': {
      const at = isUsual(value) ? Date.parse(`${String(value)}T00:00:00Z`) : Number.NaN
      return Number.isNaN(at) ? String(value) : dates.format(at)
    }
    case 'datetime':
      return isUsual(value) ? formatDateTime(String(value).replace(' ', 'T')) : String(value)
    case 'boolean':
      return t(value === true ? 'yes' : 'no')
    case 'enum':
      return textOfCode(field, String(value))
    case 'list':
      return Array.isArray(value) ? value.map((code) => textOfCode(field, String(code))).join(', ') : String(value)
    case 'file':
      return typeof value === 'object' && 'name' in value ? String(value.name) : String(value)
    case 'json':
      return JSON.stringify(value)
    default:
      return String(value)
  }
}
