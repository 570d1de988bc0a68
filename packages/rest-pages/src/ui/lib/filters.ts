import type { FieldMetadata } from '@steward/rest-core'
import { kindOf } from '@steward/page-kit/field-kinds'
import { t } from './i18n.js'
import { textOf, textOfCode } from './value-text.js'

/** A condition on one field, as people choose it. */
export type Condition =
  | { readonly kind: 'has'; readonly text: string }
  | { readonly kind: 'is'; readonly codes: readonly string[] }
  | { readonly kind: 'from'; readonly from: string; readonly to: string }
  | { readonly kind: 'empty' | 'filled' }

/** Conditions by field. */
export type Conditions = ReadonlyMap<string, Condition>

/** What can be chosen for a field. */
export function editorOf(field: FieldMetadata): 'has' | 'is' | 'from' | undefined {
  switch (kindOf(field)) {
    case 'enum':
    case 'list':
    case 'boolean':
      return 'is'
    case 'number':
    case 'date':
    case 'datetime':
    case 'time':
      return 'from'
    case 'file':
    case 'json':
    case 'password':
      return undefined
    default:
      return 'has'
  }
}

/** What of a field can be chosen: codes and their texts. */
export function choicesOf(field: FieldMetadata): readonly (readonly [code: string, text: string])[] {
  if (kindOf(field) === 'boolean')
    return [
      ['true', t('yes')],
      ['false', t('no')],
    ]
  return (field.listOfValues ?? []).map(({ code, value }) => [code, value || code] as const)
}

/** As it stands in the address: `has:star`, `is:open,closed`, `from:1990-01-01;`, `empty`. */
export function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'has':
      return `has:${condition.text}`
    case 'is':
      return `is:${condition.codes.map(encodeURIComponent).join(',')}`
    case 'from':
      return `from:${condition.from};${condition.to}`
    default:
      return condition.kind
  }
}

/** @returns undefined for what is no condition */
export function readCondition(text: string): Condition | undefined {
  if (text === 'empty' || text === 'filled') return { kind: text }
  const [, kind, value = ''] = /^(has|is|from):(.+)$/s.exec(text) ?? []
  if (kind === 'has') return { kind, text: value }
  if (kind === 'is') return { kind, codes: value.split(',').map(decode) }
  const [from, to, ...more] = value.split(';')
  return kind === 'from' && to !== undefined && more.length === 0 ? { kind, from: from as string, to } : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** In the filter language of the service. */
export function wireOf(field: FieldMetadata | undefined, condition: Condition): string {
  switch (condition.kind) {
    case 'has':
      return `like '${anywhere(condition.text)}'`
    case 'is':
      if (field && kindOf(field) === 'boolean') return condition.codes[0] ?? ''
      return `in (${condition.codes.map(quoted).join(', ')})`
    case 'from':
      return `${condition.from};${condition.to}`
    default:
      return condition.kind === 'empty' ? 'is null' : 'is not null'
  }
}

/** All conditions at once, by the names of fields. */
export function wireFilters(conditions: Conditions, fields: readonly FieldMetadata[]): Record<string, string> {
  return Object.fromEntries(
    [...conditions].map(([name, condition]) => [
      name,
      wireOf(
        fields.find((field) => field.name === name),
        condition,
      ),
    ]),
  )
}

/** What finds words in an object that has no index: in one of its texts, each of the words. */
export function wordsExpression(words: string, fields: readonly FieldMetadata[]): string | undefined {
  return wordsIn(
    words,
    fields.filter((field) => kindOf(field) !== 'number'),
  )
}

/** What finds words in these fields: each of the words in one of them, numbers as a whole. `undefined`: no field can hold them. */
export function wordsIn(words: string, fields: readonly FieldMetadata[]): string | undefined {
  const searched = fields.filter((field) => field.searchable && !isRowId(field))
  const each = words.split(/[\s·]+/).filter(Boolean)
  const conditions = each.map((word) =>
    searched.flatMap((field) => {
      if (editorOf(field) === 'has') return [`${field.name} like '${anywhere(word)}'`]
      return kindOf(field) === 'number' && /^\d{1,15}$/.test(word) ? [`${field.name} = ${word}`] : []
    }),
  )
  if (conditions.every((one) => one.length === 0)) return undefined
  // A word that no field can hold finds nothing there; the others do.
  return conditions.flatMap((one) => (one.length > 0 ? [`(${one.join(' or ')})`] : [])).join(' and ')
}

/** Row ids and references: numbers that mean nothing to people. */
export function isRowId({ type }: FieldMetadata): boolean {
  return type === 0
}

function anywhere(text: string): string {
  return `%${text.replaceAll(/[\\%_*]/g, String.raw`\$&`).replaceAll("'", "''")}%`
}

function quoted(code: string): string {
  return `'${code.replaceAll("'", "''")}'`
}

/** On a chip. */
export function textOfCondition(field: FieldMetadata, condition: Condition): string {
  switch (condition.kind) {
    case 'has':
      return t('filter.has', { text: condition.text })
    case 'is':
      return condition.codes
        .map((code) => choicesOf(field).find(([one]) => one === code)?.[1] ?? textOfCode(field, code))
        .join(', ')
    case 'from': {
      const [from, to] = [textOf(field, condition.from), textOf(field, condition.to)]
      if (to === '') return `≥ ${from}`
      return from === '' ? `≤ ${to}` : `${from} – ${to}`
    }
    default:
      return t(`filter.${condition.kind}`)
  }
}
