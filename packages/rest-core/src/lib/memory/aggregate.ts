import { datePart } from '../fields/date-part.js'
import { add, exactNumber, exactText, type ExactNumber } from '../fields/exact-number.js'
import { isEmpty } from '../fields/field-type.js'
import { rankBeyond } from '../fields/number-text.js'
import type { FieldValue } from '../fields/field-value.js'
import { compareValues } from '../filter/compare.js'
import type { BusinessRecord, ObjectModel, ReadableField } from '../model/model.js'
import type { AggregateQuery, AggregateRow } from '../store.js'
import type { View } from './memory-data.js'
import { guarding, readFields, rowTest } from './reading.js'

/** Takes one record after the other; `value` is what they come to. */
interface Accumulator {
  take(record: BusinessRecord): void
  value(): FieldValue
}

/** Groups the matching rows of a view. */
export function aggregateRows(view: View, object: ObjectModel, query: AggregateQuery): AggregateRow[] {
  const { groups, values, where, limit = Infinity } = query
  const names = new Set([...groups, ...values].flatMap(({ field }) => field ?? []))
  const fields = [...names].map((name) => object.field(name) as ReadableField)
  const found = new Map<string, { groups: FieldValue[]; accumulators: Accumulator[] }>()
  const group = (key: string, place: FieldValue[]) => {
    let known = found.get(key)
    if (!known) {
      known = { groups: place, accumulators: values.map((value) => createAccumulator(object, value)) }
      found.set(key, known)
    }
    return known
  }
  if (groups.length === 0) group('[]', [])
  const guards = query.guards && guarding(view, query.guards)
  const matches = rowTest(view, object, where, guards)
  for (const row of view.all(object.table)) {
    if (!matches(row)) continue
    const record = readFields(view, row, fields, guards)
    const place = groups.map(({ field, by }) => {
      const value = record[field] as FieldValue
      return by ? datePart(value as string, by) : value
    })
    for (const accumulator of group(JSON.stringify(place), place).accumulators) accumulator.take(record)
  }
  return [...found.values()]
    .slice(0, limit)
    .map((each) => ({ groups: each.groups, values: each.accumulators.map((accumulator) => accumulator.value()) }))
}

function createAccumulator(object: ObjectModel, value: AggregateQuery['values'][number]): Accumulator {
  const field = value.field === undefined ? undefined : (object.field(value.field) as ReadableField)
  const valueOf = (record: BusinessRecord): FieldValue => (field ? (record[field.name] as FieldValue) : true)
  if (value.function === 'count') {
    let count = 0
    return { take: (record) => void (isEmpty(valueOf(record)) || count++), value: () => count }
  }
  if (value.function === 'sum') {
    let sum: ExactNumber | undefined
    let isNumber = true
    return {
      take(record) {
        const number = valueOf(record) as number | string | null
        if (number === null) return
        // Infinity and what is no number have no digits, and so has their sum.
        if (rankBeyond(number) !== undefined) isNumber = false
        else sum = sum ? add(sum, exactNumber(number)) : exactNumber(number)
      },
      value: () => (sum && isNumber ? exactText(sum) : null),
    }
  }
  const sign = value.function === 'min' ? -1 : 1
  let best: FieldValue = null
  return {
    take(record) {
      const next = valueOf(record)
      if (isEmpty(next)) return
      if (isEmpty(best) || sign * compareValues(next, best, field as ReadableField) > 0) best = next
    },
    value: () => best,
  }
}
