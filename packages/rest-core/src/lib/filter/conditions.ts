import { isEmpty, Problem } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { unstorable } from '../fields/text-value.js'
import { quote } from '../fields/describe.js'
import { baseField } from '../model/model.js'
import type { IdField } from '../definition/definition.js'
import type { ReadableField, ReferenceModel } from '../model/model.js'
import { allOf, anyOf, negate, never } from './combine.js'
import { conditionError, variableValue, type FilterContext } from './context.js'
import type { Comparison, Filter } from './filter.js'
import { limits } from './limits.js'
import { escapePattern, readWildcards } from './pattern.js'
import { looksRelative, readRelativeDate } from './relative-date.js'

/** What stands on the right of an operator. */
export interface Operand {
  readonly text: string
  /** `text` is a name in brackets and stands for a value. */
  readonly variable: boolean
}

/**
 * One field compared with one value. Not specified; chosen as people mean it:
 * - a date without a time, on a field with times, is the whole day (`<= 2024-05-31` includes that day)
 * - a multi-enum is "equal" to the codes that it holds, whatever else it holds
 * - an empty value: `=` is "is null", `<>` is "is not null"; an empty variable equals nothing, so that a rule about
 *   `[LOGIN]` never covers the rows that have no user
 *
 * @throws RestError ERR_FILTER
 */
export function compareFilter(field: ReadableField, op: Comparison, operand: Operand, context: FilterContext): Filter {
  const { name, type, columnType } = field
  if (columnType.kind === 'json' || columnType.kind === 'bytes')
    throw conditionError(context, 'can only be "is null" or "is not null"', name)
  if (op !== '=' && op !== '<>' && !type.ordered)
    throw conditionError(context, `cannot use ${op}, because values of type "${type.name}" have no order`, name)
  const text = resolve(field, operand, context)
  if (text === '' && operand.variable) return op === '<>' ? negate(never(name)) : never(name)
  if (isNoUuid(field, text)) {
    if (op === '=') return never(name)
    if (op === '<>') return negate(never(name))
  }
  const value = parseValue(field, text, context)
  if (isEmpty(value)) {
    if (op === '=') return { op: 'null', field: name }
    if (op === '<>') return { op: 'notNull', field: name }
    throw conditionError(context, `needs a value after ${op}`, name)
  }
  if (columnType.kind === 'list') {
    const holds = allOf((value as readonly string[]).map((code) => ({ op: 'contains', field: name, value: code })))
    return op === '=' ? holds : negate(holds)
  }
  if (columnType.kind === 'datetime' && isDateOnly(text))
    return compareDay(name, op, (value as string).slice(0, 10), columnType.precision)
  return { op, field: name, value }
}

/** One field matched with a text with wildcards. @throws RestError ERR_FILTER */
export function likeFilter(field: ReadableField, operand: Operand, context: FilterContext): Filter {
  const { name, type } = field
  if (!type.like)
    throw conditionError(context, `cannot use like or wildcards, because it is of type "${type.name}"`, name)
  const text = resolve(field, operand, context)
  if (text === '') return operand.variable ? never(name) : { op: 'null', field: name }
  return patternFilter(field, operand.variable ? escapePattern(text) : readWildcards(text).pattern, context)
}

/** @param pattern in the form of `Filter`. @throws RestError ERR_FILTER */
export function patternFilter({ name, columnType }: ReadableField, pattern: string, context: FilterContext): Filter {
  if (pattern === '%') return { op: 'notNull', field: name }
  if (columnType.kind === 'bytes') throw conditionError(context, 'can only be "is null" or "is not null"', name)
  const problem = unstorable(pattern)
  if (problem) throw conditionError(context, problem.text, name)
  if (pattern.length > limits.patternLength) {
    throw conditionError(context, `has a pattern of more than ${limits.patternLength} characters`, name)
  }
  return { op: 'like', field: name, pattern }
}

/** One field compared with several values. @throws RestError ERR_FILTER */
export function listFilter(field: ReadableField, operands: readonly Operand[], context: FilterContext): Filter {
  return anyOf(operands.map((operand) => compareFilter(field, '=', operand, context)))
}

/** A text of a request as an operand: `[DATE…]` on dates and known variables stand for their values, any other text for itself. */
export function operandOf(field: ReadableField, text: string, context: FilterContext): Operand {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return { text, variable: false }
  const variable =
    (isTemporal(field) && looksRelative(trimmed)) || variableValue(context, trimmed.slice(1, -1)) !== undefined
  return { text: variable ? trimmed : text, variable }
}

function resolve({ name }: ReadableField, { text, variable }: Operand, context: FilterContext): string {
  if (!variable) return text
  const value =
    readRelativeDate(text, context.options.now?.() ?? new Date()) ?? variableValue(context, text.slice(1, -1))
  if (value !== undefined) return value
  if (looksRelative(text)) {
    throw conditionError(
      context,
      `has ${quote(text)}; relative dates look like [DATE:-3m] (units y m w d) or [DATETIME:+12h] (also h n s)`,
      name,
    )
  }
  const known = ['[DATE]', '[DATETIME]', ...Object.keys(context.options.variables ?? {}).map((each) => `[${each}]`)]
  throw conditionError(context, `has ${quote(text)}, which is not known here; known are ${known.join(' ')}`, name)
}

function parseValue(field: ReadableField, text: string, context: FilterContext): FieldValue {
  const value = field.type.parse(text, baseField(field))
  if (value instanceof Problem) throw conditionError(context, value.text, field.name)
  return value
}

/** No row has such an id, so that nothing equals it; where ids are other texts, the same filter just finds nothing. */
function isNoUuid(field: ReadableField, text: string): boolean {
  const own = baseField(field)
  const id = own.type.name === 'reference' ? (own as ReferenceModel).target.id : own
  return (id.definition as IdField).values === 'uuid' && own.type.parse(text, own) instanceof Problem
}

function isTemporal({ columnType: { kind } }: ReadableField): boolean {
  return kind === 'date' || kind === 'datetime' || kind === 'time'
}

function isDateOnly(text: string): boolean {
  return /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(text)
}

/** @param precision digits of fractions of a second */
function compareDay(field: string, op: Comparison, day: string, precision = 0): Filter {
  const start = `${day} 00:00:00`
  const end = `${day} 23:59:59${precision === 0 ? '' : `.${'9'.repeat(precision)}`}`
  switch (op) {
    case '=':
      return {
        op: 'and',
        terms: [
          { op: '>=', field, value: start },
          { op: '<=', field, value: end },
        ],
      }
    case '<>':
      return {
        op: 'or',
        terms: [
          { op: '<', field, value: start },
          { op: '>', field, value: end },
          { op: 'null', field },
        ],
      }
    case '<':
    case '>=':
      return { op, field, value: start }
    case '>':
    case '<=':
      return { op, field, value: end }
  }
}
