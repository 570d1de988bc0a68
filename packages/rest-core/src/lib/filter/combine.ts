import type { FieldValue } from '../fields/field-value.js'
import type { Comparison, Filter } from './filter.js'

/** All must hold. Nested `and`s are flattened, `<>` and `notIn` of one field are merged. At least one term. */
export function allOf(terms: readonly Filter[]): Filter {
  return combine('and', '<>', 'notIn', terms)
}

/** One must hold. Nested `or`s are flattened, `=` and `in` of one field are merged. At least one term. */
export function anyOf(terms: readonly Filter[]): Filter {
  return combine('or', '=', 'in', terms)
}

/** All of those that are given must hold, as they are written; none given: undefined. */
export function and(...terms: readonly (Filter | undefined)[]): Filter | undefined {
  const given = terms.filter((term) => term !== undefined)
  return given.length > 1 ? { op: 'and', terms: given } : given[0]
}

/** Matches no record. */
export function never(field: string): Filter {
  return {
    op: 'and',
    terms: [
      { op: 'null', field },
      { op: 'notNull', field },
    ],
  }
}

function combine(op: 'and' | 'or', single: '=' | '<>', list: 'in' | 'notIn', terms: readonly Filter[]): Filter {
  const flat = terms.flatMap((term) => (term.op === op ? term.terms : [term]))
  const values = new Map<string, Set<FieldValue>>()
  const places = new Map<string, number>()
  const merged: Filter[] = []
  for (const term of flat) {
    if (term.op !== single && term.op !== list) {
      merged.push(term)
      continue
    }
    const { field } = term as { field: string }
    let known = values.get(field)
    if (!known) {
      values.set(field, (known = new Set()))
      places.set(field, merged.push(term) - 1)
    }
    for (const value of 'values' in term ? term.values : [(term as { value: FieldValue }).value]) known.add(value)
  }
  for (const [field, place] of places) {
    const all = [...(values.get(field) ?? [])]
    merged[place] =
      all.length === 1 ? { op: single, field, value: all[0] as FieldValue } : { op: list, field, values: all }
  }
  return merged.length === 1 ? (merged[0] as Filter) : { op, terms: merged }
}

const opposites = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  like: 'notLike',
  notLike: 'like',
  in: 'notIn',
  notIn: 'in',
  null: 'notNull',
  notNull: 'null',
  contains: 'notContains',
  notContains: 'contains',
} as const

/** Matches exactly the records that the filter does not match, also those whose field is empty. */
export function negate(filter: Filter): Filter {
  switch (filter.op) {
    case 'and':
      return anyOf(filter.terms.map(negate))
    case 'or':
      return allOf(filter.terms.map(negate))
    case 'guarded':
      return { op: 'guarded', terms: [anyOf(filter.terms.map(negate))] }
    case '<':
    case '<=':
    case '>':
    case '>=': {
      // An empty value is on neither side of a comparison.
      const opposite: Filter = { ...filter, op: opposites[filter.op] as Comparison }
      return filter.value === true || filter.value === false
        ? opposite
        : { op: 'or', terms: [opposite, { op: 'null', field: filter.field }] }
    }
    default:
      return { ...filter, op: opposites[filter.op] } as Filter
  }
}
