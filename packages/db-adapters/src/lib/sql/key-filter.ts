import { readRowId } from '@steward/rest-core'
import type { FieldValue, Filter } from '@steward/rest-core'
import type { KeyPart } from './columns.js'

type Leaf = Exclude<Filter, { terms: unknown }>

const all: Filter = { op: 'and', terms: [] }
const none: Filter = { op: 'or', terms: [] }

/** A condition on a row id or reference of several columns as conditions on these, which an index of them can answer. */
export function keyFilter(leaf: Leaf, parts: readonly KeyPart[]): Filter {
  switch (leaf.op) {
    case '=':
      return equal(leaf.value, parts)
    case '<>':
      return unequal(leaf.value, parts)
    case 'in':
      return { op: 'or', terms: padded(leaf.values).map((value) => equal(value, parts)) }
    case 'notIn':
      return { op: 'and', terms: padded(leaf.values).map((value) => unequal(value, parts)) }
    case 'null':
      return { op: 'or', terms: parts.map(({ test: { name } }) => ({ op: 'null', field: name })) }
    case 'notNull':
      return { op: 'and', terms: parts.map(({ test: { name } }) => ({ op: 'notNull', field: name })) }
    case '<':
    case '<=':
    case '>':
    case '>=':
      return beyond(leaf.op, leaf.value, parts)
    default:
      throw new TypeError(`"${leaf.op}" cannot be asked of "${leaf.field}", which has several columns.`)
  }
}

function equal(rowId: FieldValue, parts: readonly KeyPart[]): Filter {
  const values = valuesOf(rowId, parts)
  if (!values) return none
  return { op: 'and', terms: parts.map(({ test: { name } }, at) => ({ op: '=', field: name, value: values[at]! })) }
}

/** Another one, or empty. */
function unequal(rowId: FieldValue, parts: readonly KeyPart[]): Filter {
  const values = valuesOf(rowId, parts)
  if (!values) return all
  return { op: 'or', terms: parts.map(({ test: { name } }, at) => ({ op: '<>', field: name, value: values[at]! })) }
}

/** The first column bounds what is read; the others decide among its equal values. */
function beyond(op: '<' | '<=' | '>' | '>=', rowId: FieldValue, parts: readonly KeyPart[]): Filter {
  const values = valuesOf(rowId, parts)
  if (!values) return none
  const strict = op === '<' || op === '<=' ? '<' : '>'
  const steps = parts.map(({ test: { name } }, at): Filter => {
    const last = at === parts.length - 1
    const same = parts.slice(0, at).map((part, before): Filter => ({
      op: '=',
      field: part.test.name,
      value: values[before]!,
    }))
    return { op: 'and', terms: [...same, { op: last ? op : strict, field: name, value: values[at]! }] }
  })
  const first: Filter = { op: `${strict}=`, field: parts[0]!.test.name, value: values[0]! }
  return { op: 'and', terms: [first, { op: 'or', terms: steps }] }
}

function valuesOf(rowId: FieldValue, parts: readonly KeyPart[]): readonly FieldValue[] | undefined {
  return readRowId(
    parts.map(({ field }) => field),
    rowId as string,
  )
}

/** Lists of many lengths share a few shapes. */
function padded(values: readonly FieldValue[]): readonly FieldValue[] {
  const last = values.at(-1)
  if (last === undefined) return values
  const missing = 2 ** Math.ceil(Math.log2(values.length)) - values.length
  return missing === 0 ? values : values.concat(Array<FieldValue>(missing).fill(last))
}
