import type { FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'

export type Values = Readonly<Record<string, unknown>>

/** A value as its control holds it: text, or what the control is made for. */
export function toDraft(field: FieldMetadata, value: unknown): unknown {
  const kind = kindOf(field)
  if (kind === 'list') return Array.isArray(value) ? value : []
  if (kind === 'boolean') return value === true
  if (value === null || value === undefined || kind === 'password') return ''
  if (kind === 'datetime') return String(value).replace(' ', 'T')
  if (kind === 'json') return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return kind === 'file' ? value : String(value)
}

export function toDrafts(fields: readonly FieldMetadata[], record: Values): Values {
  return Object.fromEntries(fields.map((field) => [field.name, toDraft(field, record[field.name])]))
}

const filledIn = ['DATE', 'DATETIME', 'LOGIN'] as const

/** What the service fills in where nothing is given. Source: docs/objects.md, "default". */
export function filledInBy({
  defaultValue,
}: Pick<FieldMetadata, 'defaultValue'>): (typeof filledIn)[number] | undefined {
  return filledIn.find((name) => defaultValue === `[${name}]`)
}

/** Whether it holds moments, which are entered in UTC: not one that shows what a clock on a wall does. */
export function isInUtc(field: Pick<FieldMetadata, 'type' | 'zone'>): boolean {
  return kindOf(field) === 'datetime' && field.zone !== 'none'
}

/** What a field of a new record has at first: its default, unless the service fills it in. */
export function initialValue(field: Pick<FieldMetadata, 'defaultValue'>): unknown {
  return filledInBy(field) === undefined ? field.defaultValue : null
}

/** A value as the service takes it. What is not a number goes as it was typed: the service says what is wrong with it. */
export function toValue(field: FieldMetadata, draft: unknown): unknown {
  if (typeof draft !== 'string') return draft
  switch (kindOf(field)) {
    case 'number':
      return draft !== '' && String(Number(draft)) === draft ? Number(draft) : draft.trim()
    case 'datetime':
      return draft.replace('T', ' ')
    case 'json':
      return draft === '' ? null : (JSON.parse(draft) as unknown)
    default:
      return draft
  }
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Fields whose control holds something other than before. */
export function changedFields(fields: readonly FieldMetadata[], before: Values, now: Values): FieldMetadata[] {
  return fields.filter(({ name }) => !isSame(before[name], now[name]))
}

/** What would be sent, for people to see: without passwords and contents of files. */
export function shownValues(fields: readonly FieldMetadata[], draft: Values): Values {
  return Object.fromEntries(
    fields.map((field) => {
      const value = draft[field.name]
      if (kindOf(field) === 'password') return [field.name, '…']
      if (kindOf(field) === 'file' && typeof value === 'object') return [field.name, { ...value, content: '…' }]
      try {
        return [field.name, toValue(field, value)]
      } catch {
        // JSON that is still being typed.
        return [field.name, value]
      }
    }),
  )
}
