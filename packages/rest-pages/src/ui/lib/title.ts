import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { textOf } from './value-text.js'

type Values = Readonly<Record<string, unknown>>
type Fields = Pick<ObjectMetadata, 'fields'>

/** Between the parts of a functional key of several fields. */
const between = ' · '

/**
 * What a record is called: its functional key, of one field with the next text, else its first two texts. A text with a
 * default, such as the user's login, is the same in many records.
 */
export function titleOf(record: Values, { fields }: Fields): string {
  const own = fields.filter(({ ref, visible }) => ref === null && visible)
  const keys = own.filter(({ key }) => key)
  const texts = own.filter(({ type, key, defaultValue }) => type === 3 && !key && defaultValue === null)
  const key = keys.map((field) => partOf(field, fields, record)).filter(Boolean)
  const words =
    keys.length > 1 ? [key.join(between)] : [...key, ...texts.map((field) => textOf(field, record[field.name]))]
  return words.filter(Boolean).slice(0, 2).join(' ') || String(record['row_id'])
}

/** A reference means nothing to people by its row id: what comes with it is shown. */
function partOf(field: FieldMetadata, fields: readonly FieldMetadata[], record: Values): string {
  if (field.refObject === null) return textOf(field, record[field.name])
  const hasTitle = joinedFields(field, fields).length > 0
  return hasTitle ? linkedTitle(field, { fields }, record) : textOf(field, record[field.name])
}

/** What the linked record of a reference is called, by the fields that come with it; empty when none does, or all are empty. */
export function linkedTitle(field: FieldMetadata, { fields }: Fields, record: Values): string {
  const shown = joinedFields(field, fields).map((one) => textOf(one, record[one.name]))
  return shown.filter(Boolean).join(' ')
}

/** Names of the fields of the linked object that come with a reference. */
export function shownBy(field: FieldMetadata, { fields }: Fields): readonly string[] {
  return joinedFields(field, fields).map(({ refField }) => String(refField))
}

function joinedFields({ name }: FieldMetadata, fields: readonly FieldMetadata[]): readonly FieldMetadata[] {
  return fields.filter(({ ref }) => ref === name)
}

/** Fields by which people find a record: those that its title shows. */
export function titleFields({ fields }: Fields): readonly FieldMetadata[] {
  const own = fields.filter(({ ref, visible }) => ref === null && visible)
  const keys = own.filter(({ key }) => key)
  return keys.flatMap((field) => (field.refObject === null ? [field] : joinedFields(field, fields)))
}

/** Whether these fields are some, and not all, of those of the functional key. */
export function isPartOfKey(names: readonly string[], { fields }: Fields): boolean {
  const keys = fields.filter(({ ref, key }) => ref === null && key).map(({ name }) => name)
  return names.length < keys.length && names.every((name) => keys.includes(name))
}
