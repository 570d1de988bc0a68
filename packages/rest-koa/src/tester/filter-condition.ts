import { kindOf } from '@steward/page-kit/field-kinds'
import type { FieldMetadata } from '@steward/rest-core'
import type { Operator } from './draft.js'
import { choicesOf, codesOf } from './metadata.js'

/** Operators of a field; of an unknown one, a condition alone. */
export function operatorsOf(field: FieldMetadata | undefined): Operator[] {
  if (!field) return ['condition']
  switch (kindOf(field)) {
    case 'number':
    case 'date':
    case 'datetime':
    case 'time':
      return ['is', 'from', 'to', 'empty', 'notEmpty', 'condition']
    case 'boolean':
    case 'enum':
    case 'list':
      return ['is', 'empty', 'notEmpty', 'condition']
    case 'json':
    case 'file':
      return ['empty', 'notEmpty', 'condition']
    default:
      return ['is', 'contains', 'starts', 'empty', 'notEmpty', 'condition']
  }
}

/** Values to choose one from. */
export function filterChoices(field: FieldMetadata): string[] {
  return kindOf(field) === 'list' ? codesOf(field) : choicesOf(field)
}

/** The condition that an operator and its value are sent as; empty without a value. */
export function conditionOf(operator: Operator, value: string): string {
  if (operator === 'empty') return 'is null'
  if (operator === 'notEmpty') return 'is not null'
  if (value === '') return ''
  return {
    is: value,
    contains: `*${value}*`,
    starts: `${value}*`,
    from: `${value};`,
    to: `;${value}`,
    condition: value,
  }[operator]
}

/**
 * Operator and value of a condition; what only the syntax of conditions says is one as it is.
 *
 * @param chosen operator that the user chose, which a value that is not finished does not change.
 */
export function readCondition(
  field: FieldMetadata | undefined,
  condition: string,
  chosen?: Operator,
): { operator: Operator; value: string } {
  const operators = operatorsOf(field)
  if (chosen && operators.includes(chosen)) {
    const value = condition.slice(chosen === 'contains' || chosen === 'to' ? 1 : 0, endOf(chosen))
    if (chosen === 'empty' || chosen === 'notEmpty') return { operator: chosen, value: '' }
    if (conditionOf(chosen, value) === condition) return { operator: chosen, value }
  }
  if (condition === '') return { operator: operators[0] ?? 'condition', value: '' }
  for (const operator of operators) {
    const value = patterns[operator].exec(condition)?.[1]
    if (field && value !== undefined && fits(field, operator, value)) return { operator, value }
  }
  return { operator: 'condition', value: condition }
}

function endOf(operator: Operator): number | undefined {
  return operator === 'contains' || operator === 'starts' || operator === 'from' ? -1 : undefined
}

const patterns: Readonly<Record<Operator, RegExp>> = {
  is: /^([^*;]+)$/,
  contains: /^\*([^*]+)\*$/,
  starts: /^([^*]+)\*$/,
  from: /^([^;]+);$/,
  to: /^;([^;]+)$/,
  empty: /^is null()$/,
  notEmpty: /^is not null()$/,
  condition: /^(.*)$/s,
}

/** Whether the control of the field can show it. */
function fits(field: FieldMetadata, operator: Operator, value: string): boolean {
  if (operator === 'empty' || operator === 'notEmpty' || operator === 'condition') return true
  // "is null", "> 7", "in (1, 2)"
  if (/^(?:is|not|in|like)\s|^[<>=!]/i.test(value)) return false
  const choices = filterChoices(field)
  if (choices.length > 0) return choices.includes(value)
  const form = forms[kindOf(field)]
  return form === undefined || form.test(value)
}

const forms: Partial<Record<ReturnType<typeof kindOf>, RegExp>> = {
  number: /^-?[\d.]+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  time: /^\d\d:\d\d:\d\d$/,
}
