import { isUnfilled } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import { compareValues } from './compare.js'
import type { Filter } from './filter.js'
import { compileLike } from './like.js'

/** Values by field name; all fields of the filter must be there. */
type Values = Readonly<Record<string, FieldValue>>
type Test = (values: Values) => boolean

const compiled = new WeakMap<Filter, WeakMap<ObjectModel, Test>>()

/**
 * Whether a record matches, exactly as the databases decide it. The record must hold all fields of the filter, as the
 * guards of a query show them where the filter is `guarded`.
 */
export function matches(filter: Filter, record: BusinessRecord | Values, object: ObjectModel): boolean {
  let tests = compiled.get(filter)
  if (!tests) compiled.set(filter, (tests = new WeakMap()))
  let test = tests.get(object)
  if (!test) tests.set(object, (test = compile(filter, object)))
  return test(record)
}

type Group = Extract<Filter, { terms: unknown }>

function compile(filter: Filter, object: ObjectModel): Test {
  if (isGroup(filter)) {
    const tests = filter.terms.map((term) => compile(term, object))
    return filter.op === 'or'
      ? (values) => tests.some((test) => test(values))
      : (values) => tests.every((test) => test(values))
  }
  const field = object.field(filter.field)
  if (!field) throw new TypeError(`Object "${object.name}" has no field "${filter.field}" to filter on.`)
  const test = compileLeaf(filter, field)
  return (values) => test(values[filter.field] ?? field.type.empty)
}

function isGroup(filter: Filter): filter is Group {
  return 'terms' in filter
}

function compileLeaf(filter: Exclude<Filter, Group>, field: ReadableField): (value: FieldValue) => boolean {
  const isEmpty = (value: FieldValue): boolean => isUnfilled(value, field)
  switch (filter.op) {
    case 'null':
      return isEmpty
    case 'notNull':
      return (value) => !isEmpty(value)
    case 'like':
    case 'notLike': {
      const like = compileLike(filter.pattern)
      const found = filter.op === 'like'
      return (value) => (!isEmpty(value) && like(String(value))) === found
    }
    case 'in':
    case 'notIn': {
      const found = filter.op === 'in'
      return (value) =>
        (!isEmpty(value) && filter.values.some((each) => compareValues(value, each, field) === 0)) === found
    }
    case 'contains':
    case 'notContains': {
      const found = filter.op === 'contains'
      return (value) => (Array.isArray(value) && value.includes(filter.value)) === found
    }
    default:
      return compileComparison(filter.op, filter.value, field)
  }
}

function compileComparison(
  op: '=' | '<>' | '<' | '<=' | '>' | '>=',
  other: FieldValue,
  field: ReadableField,
): (value: FieldValue) => boolean {
  const isEmpty = (value: FieldValue): boolean => isUnfilled(value, field)
  const order = (value: FieldValue): number => compareValues(value, other, field)
  switch (op) {
    case '=':
      return (value) => !isEmpty(value) && order(value) === 0
    case '<>':
      return (value) => isEmpty(value) || order(value) !== 0
    case '<':
      return (value) => !isEmpty(value) && order(value) < 0
    case '<=':
      return (value) => !isEmpty(value) && order(value) <= 0
    case '>':
      return (value) => !isEmpty(value) && order(value) > 0
    case '>=':
      return (value) => !isEmpty(value) && order(value) >= 0
  }
}
