import { isEmpty } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { compareNumbers } from '../fields/number-text.js'
import { readRowId } from '../fields/row-key.js'
import { compareTemporal, isExtended } from '../fields/temporal.js'
import { baseField } from '../model/model.js'
import type { BusinessRecord, FieldModel, ObjectModel, Order, ReadableField } from '../model/model.js'

/**
 * Order of two values of a field, as all stores sort: empty first, texts by code point, numbers and integer ids by
 * size (exactly, also beyond 2^53), `false` before `true`.
 *
 * @returns negative, 0 or positive.
 */
export function compareValues(a: FieldValue, b: FieldValue, field: ReadableField): number {
  const { columnType } = field
  const emptyA = isEmpty(a)
  const emptyB = isEmpty(b)
  if (emptyA || emptyB) return Number(emptyB) - Number(emptyA)
  switch (columnType.kind) {
    case 'integer':
    case 'decimal':
      return compareNumbers(a as number | string, b as number | string)
    case 'id':
    case 'reference':
      if (baseField(field).parts) return compareRowIds(a as string, b as string, field)
      return columnType.values === 'integer'
        ? compareNumbers(a as string, b as string)
        : compareText(a as string, b as string)
    case 'boolean':
      return Number(a) - Number(b)
    case 'list':
      return compareText((a as readonly string[]).join(';'), (b as readonly string[]).join(';'))
    case 'date':
    case 'datetime':
    case 'time':
      return isExtended(columnType) ? compareTemporal(a as string, b as string) : compareText(a as string, b as string)
    case 'json':
      return compareText(JSON.stringify(a), JSON.stringify(b))
    default:
      return compareText(a as string, b as string)
  }
}

/** Row ids of several fields are compared field by field. */
function compareRowIds(a: string, b: string, field: ReadableField): number {
  if (a === b) return 0
  const parts = baseField(field).parts as readonly FieldModel[]
  const [first, second] = [valuesOf(parts, a), valuesOf(parts, b)]
  if (!first || !second) return compareText(a, b)
  for (const [at, part] of parts.entries()) {
    const result = compareValues(first[at] as FieldValue, second[at] as FieldValue, part)
    if (result !== 0) return result
  }
  return 0
}

/** Row ids that were compared, as their values: a sort compares each of them many times. */
const read = new WeakMap<readonly FieldModel[], Map<string, readonly FieldValue[] | undefined>>()
const mostRead = 1_000

function valuesOf(parts: readonly FieldModel[], rowId: string): readonly FieldValue[] | undefined {
  let known = read.get(parts)
  if (!known) read.set(parts, (known = new Map()))
  if (known.has(rowId)) return known.get(rowId)
  if (known.size >= mostRead) known.clear()
  const values = readRowId(parts, rowId)
  known.set(rowId, values)
  return values
}

/** Order by code point, as databases sort bytes of UTF-8; JavaScript's own `<` sorts UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i)
    const unitB = b.charCodeAt(i)
    if (unitA !== unitB) return rank(unitA) - rank(unitB)
  }
  return a.length - b.length
}

/** Puts surrogates, which stand for U+10000 and above, after U+E000 to U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** A comparison for `sort` that follows an order on records that hold its fields. */
export function compareRecords(
  order: readonly Order[],
  object: ObjectModel,
): (a: BusinessRecord, b: BusinessRecord) => number {
  const steps = order.map(({ field, descending }) => ({
    name: field,
    sign: descending ? -1 : 1,
    field: object.field(field) as ReadableField,
  }))
  return (a, b) => {
    for (const { name, sign, field } of steps) {
      const result = sign * compareValues(a[name] as FieldValue, b[name] as FieldValue, field)
      if (result !== 0) return result
    }
    return 0
  }
}
