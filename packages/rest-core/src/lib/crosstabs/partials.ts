import { decimalValue, integerValue } from '../fields/number-text.js'
import { add, divide, exactNumber, exactText, type ExactNumber } from '../fields/exact-number.js'
import type { FieldValue } from '../fields/field-value.js'
import { compareValues } from '../filter/compare.js'
import type { ReadableField } from '../model/model.js'
import type { AggregateFunction } from '../aggregate.js'
import type { CrosstabValueModel } from './crosstab.js'

/** What is asked of the store so that subtotals and averages follow from it. */
interface Part {
  readonly function: AggregateFunction
  readonly field: ReadableField | undefined
}

/** What some records come to, one entry per part; can be put together. `null`: none of them has a value. */
export type Partial = (number | ExactNumber | FieldValue)[]

export interface Partials {
  readonly parts: readonly Part[]
  /** For no records. */
  empty(): Partial
  /** From one group of the store. */
  read(values: readonly FieldValue[]): Partial
  /** Adds `more` to `total`. */
  merge(total: Partial, more: Partial): void
  /** In the order of the values of the pivot table. */
  result(partial: Partial): FieldValue[]
}

/**
 * Digits of an average beyond those of its field. Not specified; chosen because MySQL does the same.
 */
const moreDigits = 4

export function createPartials(values: readonly CrosstabValueModel[]): Partials {
  const parts: Part[] = []
  const partAt = (kind: AggregateFunction, field: ReadableField | undefined): number => {
    const known = parts.findIndex((part) => part.function === kind && part.field === field)
    return known >= 0 ? known : parts.push({ function: kind, field }) - 1
  }
  const results = values.map(({ function: kind, field }) => {
    if (kind !== 'avg') return resultOf(kind, partAt(kind, field), field)
    const sum = partAt('sum', field)
    const count = partAt('count', field)
    return (partial: Partial) => average(partial[sum] as ExactNumber | null, partial[count] as number, field)
  })
  return {
    parts,
    empty: () => parts.map((part) => (part.function === 'count' ? 0 : null)),
    read: (given) =>
      given.map((value, at) =>
        parts[at]?.function === 'sum' && value !== null ? exactNumber(value as string) : value,
      ),
    merge(total, more) {
      for (const [at, part] of parts.entries())
        total[at] = merged(part, total[at] as FieldValue, more[at] as FieldValue)
    },
    result: (partial) => results.map((result) => result(partial)),
  }
}

function merged(part: Part, a: Partial[number], b: Partial[number]): Partial[number] {
  if (a === null || b === null) return a ?? b
  switch (part.function) {
    case 'count':
      return (a as number) + (b as number)
    case 'sum':
      return add(a as ExactNumber, b as ExactNumber)
    default: {
      const order = compareValues(a as FieldValue, b as FieldValue, part.field as ReadableField)
      const isFirst = order <= 0
      return isFirst === (part.function === 'min') ? a : b
    }
  }
}

function resultOf(
  kind: AggregateFunction,
  at: number,
  field: ReadableField | undefined,
): (partial: Partial) => FieldValue {
  if (kind !== 'sum') return (partial) => partial[at] as FieldValue
  const whole = field?.columnType.kind === 'integer'
  return (partial) => {
    const sum = partial[at] as ExactNumber | null
    if (sum === null) return null
    return whole ? integerValue(exactText(sum)) : decimalValue(exactText(sum))
  }
}

function average(sum: ExactNumber | null, count: number, field: ReadableField | undefined): FieldValue {
  if (sum === null) return null
  const scale = field?.columnType.kind === 'decimal' ? field.columnType.scale : 0
  return decimalValue(exactText(divide(sum, BigInt(count), scale + moreDigits)))
}
