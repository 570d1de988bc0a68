import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import { compareNumbers } from '../fields/number-text.js'
import { compareText } from '../filter/compare.js'
import type { Order } from '../model/model.js'
import type { CrosstabModel, CrosstabValueModel } from './crosstab.js'
import { placeComparison, type PlaceComparison, type PlaceNode } from './places.js'

/** What the lines of a pivot table can be sorted by: names of its lines, their fields, and names of its values. */
export function lineOrderNames({ lines, values }: CrosstabModel): string[] {
  return [...new Set([...lines.map(({ name }) => name), ...values.map(({ name }) => name), ...lines.map(fieldOf)])]
}

/**
 * How the lines of a pivot table are sorted, one comparison per field of their axis: as they are named, so that subtotals stay
 * with their lines. A line or its field turns that field round, a value sorts lines and subtotals alike by their total of it;
 * what is equal then is in ascending order.
 *
 * @param totalsOf The values of a place over all columns.
 * @throws RestError ERR_BAD_REQUEST for another name.
 */
export function lineComparisons(
  model: CrosstabModel,
  order: readonly Order[],
  totalsOf: (node: PlaceNode) => readonly FieldValue[],
): readonly PlaceComparison[] {
  const { lines, values } = model
  const known = lineOrderNames(model)
  const wrong = order.find(({ field }) => !known.includes(field))
  if (wrong)
    throw new RestError(
      'ERR_BAD_REQUEST',
      `The lines of pivot table "${model.name}" cannot be sorted by "${wrong.field.slice(0, 100)}", only by ${known.map((name) => `"${name}"`).join(', ')}.`,
    )
  return lines.map((axis) => {
    const natural = placeComparison(axis)
    const steps = order.flatMap(({ field, descending }): PlaceComparison[] => {
      const at = values.findIndex(({ name }) => name === field)
      const isOwn = field === axis.name || (field === fieldOf(axis) && !lines.some(({ name }) => name === field))
      const compare = at >= 0 ? byValue(at, values[at] as CrosstabValueModel) : isOwn ? natural : undefined
      return compare ? [descending ? (a, b) => compare(b, a) : compare] : []
    })
    return (a, b) => {
      for (const compare of steps) {
        const result = compare(a, b)
        if (result !== 0) return result
      }
      return natural(a, b)
    }
  })

  function byValue(at: number, value: CrosstabValueModel): PlaceComparison {
    return (a, b) => compareResults(totalsOf(a)[at] ?? null, totalsOf(b)[at] ?? null, value)
  }
}

/** `null` first, numbers by size, dates and times as texts. */
function compareResults(a: FieldValue, b: FieldValue, { function: kind, field }: CrosstabValueModel): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  const isNumber = (kind !== 'min' && kind !== 'max') || ['integer', 'decimal'].includes(field?.columnType.kind ?? '')
  return isNumber ? compareNumbers(a as number | string, b as number | string) : compareText(a as string, b as string)
}

function fieldOf({ field }: CrosstabModel['lines'][number]): string {
  return field.name
}
