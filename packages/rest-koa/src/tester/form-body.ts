import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata, ObjectMetadata } from '@steward/rest-core'
import { t } from './i18n.js'
import { choicesOf, isDocument, writableFields } from './metadata.js'

type Values = Readonly<Record<string, unknown>>

/** Fields of the form of a body; documents have an operation of their own. */
export function formFields(metadata: ObjectMetadata): FieldMetadata[] {
  return writableFields(metadata).filter((field) => !isDocument(field))
}

/** The text of a body; `record` when it is an object. */
export function parseBody(text: string): { value?: unknown; record?: Values; problem: string } {
  if (text.trim() === '') return { value: {}, record: {}, problem: '' }
  try {
    const value: unknown = JSON.parse(text)
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
    return { value, problem: '', ...(isRecord && { record: value as Values }) }
  } catch (error) {
    return { problem: t('body.invalid', { problem: (error as Error).message }) }
  }
}

/** The values of a body for its form in the order of the fields, without those that are empty; or why the form cannot show it. */
export function readForm(
  fields: readonly FieldMetadata[],
  body: string,
): { readonly values: Values } | { readonly problem: string } {
  const { record, problem } = parseBody(body)
  if (!record) return { problem: cannotShow(t(problem ? 'body.notValid' : 'body.noObject')) }
  const values = new Map<FieldMetadata, unknown>()
  for (const [name, value] of Object.entries(record)) {
    // A record that was loaded has its empty documents, too.
    if (value === null || value === '') continue
    const field = fields.find((each) => each.name === name)
    if (!field) return { problem: cannotShow(t('body.noField', { name })) }
    const text = textOf(field, value)
    if (text === undefined) return { problem: cannotShow(t('body.isValue', { name, value: JSON.stringify(value) })) }
    if (text !== '') values.set(field, valueOf(field, text))
  }
  const inOrder = fields.filter((field) => values.has(field)).map((field) => [field.name, values.get(field)])
  return { values: Object.fromEntries(inOrder) as Values }
}

function cannotShow(why: string): string {
  return t('body.cannotShow', { why })
}

/** The body that a form holds; what is empty is left out. */
export function writeForm(values: Values): string {
  return JSON.stringify(values, null, 2)
}

/** What a text in a control stands for; undefined: nothing. What fits no type is sent as it is, for the service to refuse. */
export function valueOf(field: FieldMetadata, text: string): unknown {
  if (text.trim() === '') return undefined
  switch (kindOf(field)) {
    case 'number':
      // Digits that a number would lose travel as text.
      return Number.isFinite(Number(text)) && String(Number(text)) === text.trim() ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'list': {
      const codes = text
        .split(',')
        .map((code) => code.trim())
        .filter((code) => code !== '')
      return codes.length > 0 ? codes : undefined
    }
    case 'json': {
      const { value, problem } = parseBody(text)
      return problem ? text : (value ?? undefined)
    }
    default:
      return text
  }
}

/** A value as the text of its control, empty for none; undefined where the control cannot show it. */
export function textOf(field: FieldMetadata, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return ''
  const kind = kindOf(field)
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind === 'list')
    return Array.isArray(value) && value.every((code) => typeof code === 'string') ? value.join(', ') : undefined
  if (typeof value !== 'string' && typeof value !== kind) return undefined
  const text = String(value)
  const choices = choicesOf(field)
  return choices.length === 0 || choices.includes(text) ? text : undefined
}
