import type { TextField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import { describe, quote } from './describe.js'
import { Problem, visible, type ColumnType, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'

const defaultLength = 255
/** Characters of a value in a column that takes any. Not specified; chosen because an answer holds many of them. */
export const defaultLongLength = 2 ** 20

/**
 * Reads any text: strings; numbers and booleans as their text, because clients send them; null and absent as `""`.
 * Refuses what some database could not store: NUL characters and lone surrogates.
 */
export function parseText(input: unknown): string | Problem {
  switch (typeof input) {
    case 'string':
      return unstorable(input) ?? input
    case 'number':
      return parseNumberAsText(input)
    case 'boolean':
      return String(input)
    default:
      return input === null || input === undefined
        ? ''
        : new Problem('ERR_TYPE', `must be text, not ${describe(input)}`)
  }
}

/** Why no database should get this text, whatever the field. */
export function unstorable(text: string): Problem | undefined {
  if (text.includes('\0')) return new Problem('ERR_TYPE', 'must not contain the NUL character')
  if (!text.isWellFormed())
    return new Problem('ERR_TYPE', 'must be well-formed Unicode, but contains half of a surrogate pair')
  return undefined
}

function parseNumberAsText(input: number): string | Problem {
  if (Number.isInteger(input) ? Number.isSafeInteger(input) : Number.isFinite(input)) return String(input)
  return new Problem('ERR_TYPE', `must be text; ${input} is a number that has lost digits, send it as a string`)
}

/** Checks the length in characters (code points). */
export function checkLength(text: string, most: number): Problem | undefined {
  if (text.length <= most) return undefined
  // A code point has one or two UTF-16 units, so that most texts need no counting.
  const length = text.length > 2 * most ? text.length : countCodePoints(text)
  return length <= most ? undefined : new Problem('ERR_LENGTH', `must have at most ${most} characters`)
}

/** Checks the least length in characters (code points). */
export function checkLeastLength(text: string, least: number): Problem | undefined {
  if (text.length >= 2 * least || countCodePoints(text) >= least) return undefined
  return new Problem('ERR_LENGTH', `must have at least ${least} characters`)
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

export interface TextTypeOptions {
  readonly name: TextField['type']
  /** Type number in metadata. */
  readonly number: number
  /** Kept in an unlimited column, with a length that is far larger. Default false. */
  readonly long?: boolean
  /** Rules of the type itself, checked before the field's pattern. */
  readonly check?: (text: string) => Problem | undefined
  readonly schema?: TextSchema
}

/** A field type whose values are texts; the types differ in their check only. */
export function textType(options: TextTypeOptions): FieldType {
  const lengthOf = (field: FieldModel): number =>
    (field.definition as TextField).length ?? (options.long ? defaultLongLength : defaultLength)
  return {
    name: options.name,
    number: options.number,
    empty: '',
    like: true,
    ordered: true,
    parse: parseText,
    validate(value, field) {
      const text = value as string
      return checkLength(text, lengthOf(field)) ?? options.check?.(text) ?? checkPattern(text, field)
    },
    format: formatText,
    column(field): ColumnType {
      return options.long ? { kind: 'text' } : { kind: 'string', length: lengthOf(field) }
    },
    jsonSchema: (field) => textSchema(field, lengthOf(field), options.schema),
  }
}

/** Checks the pattern of the definition, when there is one. */
export function checkPattern(text: string, field: FieldModel): Problem | undefined {
  if (!field.pattern || field.pattern.test(text)) return undefined
  const { pattern } = field.definition as TextField
  return new Problem('ERR_PATTERN', `must match the pattern ${pattern}, not ${quote(text)}`)
}

export function formatText(value: FieldValue): string {
  return String(value)
}

/** What the JSON Schema of a text says besides its length. */
export interface TextSchema {
  /** What a text that is not empty must fit. */
  readonly form?: Record<string, unknown>
  /** What says nothing about which texts are right. */
  readonly annotations?: Record<string, unknown>
}

/** JSON Schema of a text with the rules of its field; empty texts fit unless the field is required and wants more. */
export function textSchema(
  field: FieldModel,
  length: number | undefined,
  { form, annotations }: TextSchema = {},
): Record<string, unknown> {
  const own = patternSchema(field)
  const forms = [...(own ? [own] : []), ...(form ? [form] : [])]
  const mustBeFilled = field.required && !field.allowsEmpty
  const rule = forms.length > 1 ? { allOf: forms } : (forms[0] ?? (mustBeFilled ? { pattern: visible } : undefined))
  return {
    type: 'string',
    ...(mustBeFilled ? { minLength: 1 } : {}),
    ...(length === undefined ? {} : { maxLength: length }),
    ...(mustBeFilled || !rule ? rule : { anyOf: [{ maxLength: 0 }, rule] }),
    ...annotations,
  }
}

/** The pattern of the definition, when JSON Schema, which knows the flag `u` only, can read it. */
function patternSchema({ definition }: FieldModel): Record<string, unknown> | undefined {
  const { pattern } = definition as TextField
  if (pattern === undefined) return undefined
  try {
    return { pattern: new RegExp(`^(?:${pattern})$`, 'u').source }
  } catch {
    return undefined
  }
}
