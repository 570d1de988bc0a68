import type { FieldMetadata } from '@steward/rest-core'
import { Badge, formatDateTime, language } from '@steward/page-kit'
import { kindOf } from '@steward/page-kit/field-kinds'
import type { ComponentChildren } from 'preact'
import '../styles/value.css'
import { t } from './i18n.js'

/** The text that people know a code by. */
export function textOfCode(field: FieldMetadata, code: string): string {
  return field.listOfValues?.find((one) => one.code === code)?.value ?? code
}

const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })

/** A value as a text, for people. Empty: empty. */
export function textOf(field: FieldMetadata, value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  switch (kindOf(field)) {
    case 'number':
      return Number(value).toLocaleString(language, { maximumFractionDigits: 10 })
    case 'date': {
      const at = Date.parse(`${String(value)}T00:00:00Z`)
      return Number.isNaN(at) ? String(value) : dates.format(at)
    }
    case 'datetime':
      return formatDateTime(String(value).replace(' ', 'T'))
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

/** A value in a list or on a record. */
export function Value({ field, value }: { readonly field: FieldMetadata; readonly value: unknown }): ComponentChildren {
  const text = textOf(field, value)
  if (text === '') return <span class="quiet">–</span>
  const kind = kindOf(field)
  if (kind === 'enum') return <Badge>{text}</Badge>
  if (kind === 'email') return <a href={`mailto:${text}`}>{text}</a>
  if (kind === 'url' && /^https?:\/\//i.test(text))
    return (
      <a href={text} target="_blank" rel="noreferrer noopener">
        {text}
      </a>
    )
  return kind === 'text' || kind === 'long' || kind === 'list' ? <>{text}</> : <span class="unbroken">{text}</span>
}
