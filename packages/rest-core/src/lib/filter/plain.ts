import type { ReadableField } from '../model/model.js'
import { compareFilter, operandOf, patternFilter } from './conditions.js'
import type { FilterContext } from './context.js'
import type { Filter } from './filter.js'
import { isPlain, readWildcards } from './pattern.js'

/** Values of these types are codes that often hold a `_`, so that it is not a wildcard there; see `plainFilter`. */
const codeTypes: ReadonlySet<string> = new Set(['id', 'reference', 'enum', 'document', 'image'])

/**
 * A text that is not an expression: a value, or a value with wildcards. On numbers, dates and times `from;to` is an interval.
 * Not specified; chosen because `_` is part of most codes: in ids, references, enums and document ids a plain `_` is
 * itself (`like` takes it as a wildcard everywhere).
 *
 * @returns `undefined` when the text says nothing (`;`).
 * @throws RestError ERR_FILTER
 */
export function plainFilter(field: ReadableField, text: string, context: FilterContext): Filter | undefined {
  if (text.includes(';') && hasIntervals(field)) return intervalFilter(field, text, context)
  const operand = operandOf(field, text, context)
  if (operand.variable || isPlain(text)) return compareFilter(field, '=', operand, context)
  const { pattern, literal, wildcards } = readWildcards(text, !codeTypes.has(field.type.name))
  if (pattern === '%') return { op: 'notNull', field: field.name }
  if (wildcards && field.type.like) return patternFilter(field, pattern, context)
  // Types without wildcards read the text as it is and refuse what they do not know.
  return compareFilter(field, '=', { text: field.type.like ? literal : text, variable: false }, context)
}

function hasIntervals({ columnType: { kind } }: ReadableField): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'date' || kind === 'datetime' || kind === 'time'
}

function intervalFilter(field: ReadableField, text: string, context: FilterContext): Filter | undefined {
  const at = text.indexOf(';')
  const from = boundFilter(field, '>=', text.slice(0, at), context)
  const to = boundFilter(field, '<=', text.slice(at + 1), context)
  return from && to ? { op: 'and', terms: [from, to] } : (from ?? to)
}

/** One side of an interval, inclusive; `undefined` for a blank text. @throws RestError ERR_FILTER */
export function boundFilter(
  field: ReadableField,
  op: '>=' | '<=',
  text: string,
  context: FilterContext,
): Filter | undefined {
  return text.trim() === '' ? undefined : compareFilter(field, op, operandOf(field, text, context), context)
}
