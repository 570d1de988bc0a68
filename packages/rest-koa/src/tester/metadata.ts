import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import type { Draft } from './draft.js'

/** Passwords travel one way. */
const passwordType = 9

export function isDocument(field: FieldMetadata): boolean {
  return kindOf(field) === 'file'
}

/** Codes that may be entered. */
export function codesOf({ listOfValues }: FieldMetadata): string[] {
  return (listOfValues ?? []).filter(({ enabled }) => enabled).map(({ code }) => code)
}

/** Values to choose one from. */
export function choicesOf(field: FieldMetadata): string[] {
  const kind = kindOf(field)
  return kind === 'boolean' ? ['true', 'false'] : kind === 'list' ? [] : codesOf(field)
}

/** Fields that a client gives values to. */
export function writableFields({ fields }: ObjectMetadata): FieldMetadata[] {
  return fields.filter(({ updatable, ref }) => updatable && ref === null)
}

/** Fields that filters and sorts work on. */
export function searchableFields({ fields }: ObjectMetadata): FieldMetadata[] {
  return fields.filter(({ searchable, type }) => searchable && type !== passwordType)
}

/** A value in the form in which it travels. */
export function exampleOf(field: FieldMetadata): unknown {
  if (field.defaultValue !== null && !isRelative(field.defaultValue)) return field.defaultValue
  switch (kindOf(field)) {
    case 'number':
      return field.required ? 0 : null
    case 'boolean':
      return false
    case 'list':
      return []
    case 'json':
      return null
    case 'enum':
      return field.required ? (codesOf(field)[0] ?? '') : ''
    case 'file':
      return { name: 'file.txt', mime: 'text/plain', content: btoa('content in base64') }
    default:
      return ''
  }
}

/** `[LOGIN]`, `[DATE]`: worked out by the service. */
function isRelative(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('[')
}

/** A body to begin with. An update that sent empty values would empty the record, so it begins with nothing. */
export function bodyTemplate(metadata: ObjectMetadata, operation: string): string {
  const record = Object.fromEntries(
    writableFields(metadata)
      .filter((field) => field.required || !(isDocument(field) || isRelative(field.defaultValue)))
      .map((field) => [field.name, exampleOf(field)]),
  )
  const body =
    operation === 'update'
      ? {}
      : operation === 'batch'
        ? [
            { action: 'create', values: record },
            { action: 'update', row_id: '1', values: {} },
            { action: 'delete', row_id: '2' },
          ]
        : record
  return JSON.stringify(body, null, 2)
}

/** Names of objects in the paths of a service: their first parts. */
export function objectNames(paths: readonly string[]): string[] {
  const first = paths.map((path) => decodeURIComponent(path.split('/')[1] ?? ''))
  return [...new Set(first)].filter((name) => /^[A-Za-z]/.test(name)).toSorted((a, b) => a.localeCompare(b))
}

/** Label and name; both only where they differ. */
export function named(name: string, label: string): string {
  return label === name || label === '' ? name : `${label} (${name})`
}

/** What the chosen action or publication works on, as far as it is known. */
export function scopeOf({ operation, action, publication }: Draft, metadata: ObjectMetadata | undefined) {
  if (operation === 'action') return metadata?.actions.find(({ name }) => name === action)?.scope
  if (operation === 'publication') return metadata?.publications.find(({ name }) => name === publication)?.scope
  return undefined
}

/** What was entered, without the row id that a global action or publication does not take and the form does not show. */
export function shownOf(draft: Draft, metadata: ObjectMetadata | undefined): Draft {
  return scopeOf(draft, metadata) === 'global' ? { ...draft, rowId: '' } : draft
}
