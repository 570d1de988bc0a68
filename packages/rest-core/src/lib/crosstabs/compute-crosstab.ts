import type { AggregateQuery, AggregateRow } from '../store.js'
import type { FieldValue } from '../fields/field-value.js'
import type { Order } from '../model/model.js'
import type { Crosstab, CrosstabModel } from './crosstab.js'
import { createPartials, type Partial } from './partials.js'
import { lineComparisons } from './line-order.js'
import { createPlace, findPlace, pathTo, placeComparison, placesInOrder, type PlaceNode } from './places.js'

/** What a pivot table asks of the store. */
export function crosstabQuery({ lines, columns, values }: CrosstabModel): Pick<AggregateQuery, 'groups' | 'values'> {
  return {
    groups: [...lines, ...columns].map(({ field, by }) => ({ field: field.name, by })),
    values: createPartials(values).parts.map((part) => ({ function: part.function, field: part.field?.name })),
  }
}

/**
 * The pivot table over the store's groups; subtotals and totals are put together from them.
 *
 * @param order Of its lines, see `lineComparisons`.
 * @throws RestError ERR_BAD_REQUEST for an order by what the pivot table does not have.
 */
export function computeCrosstab(
  model: CrosstabModel,
  rows: readonly AggregateRow[],
  order: readonly Order[] = [],
): Crosstab {
  const { lines, columns, values } = model
  const partials = createPartials(values)
  const line = createPlace()
  const column = createPlace()
  const cells = new Map<PlaceNode, Map<PlaceNode, Partial>>([[line, new Map([[column, partials.empty()]])]])
  for (const { groups, values: given } of rows) {
    const partial = partials.read(given)
    const columnPath = pathTo(column, groups.slice(lines.length))
    for (const lineNode of pathTo(line, groups.slice(0, lines.length))) {
      let inLine = cells.get(lineNode)
      if (!inLine) cells.set(lineNode, (inLine = new Map()))
      for (const columnNode of columnPath) {
        let total = inLine.get(columnNode)
        if (!total) inLine.set(columnNode, (total = partials.empty()))
        partials.merge(total, partial)
      }
    }
  }
  const lineTotals = new Map<PlaceNode, readonly FieldValue[]>()
  const comparisons = lineComparisons(model, order, (node) => {
    let result = lineTotals.get(node)
    if (!result) lineTotals.set(node, (result = partials.result(cells.get(node)?.get(column) ?? partials.empty())))
    return result
  })
  const linePlaces = placesInOrder(line, comparisons).map(({ place }) => place)
  const columnPlaces = placesInOrder(column, columns.map(placeComparison))
  const ranks = new Map(columnPlaces.map((node, at) => [node, at]))
  const rank = (node: PlaceNode): number => ranks.get(node) as number
  return {
    model,
    lineCount: linePlaces.filter(({ length }) => length === lines.length).length,
    linePlaces,
    columnPlaces: columnPlaces.map(({ place }) => place),
    columnsOf(linePlace) {
      const lineNode = findPlace(line, linePlace)
      const filled = [...((lineNode && cells.get(lineNode)) ?? [])]
      return filled.toSorted(([a], [b]) => rank(a) - rank(b)).map(([{ place }]) => place)
    },
    cell(linePlace, columnPlace) {
      const lineNode = findPlace(line, linePlace)
      const columnNode = findPlace(column, columnPlace)
      const partial = lineNode && columnNode && cells.get(lineNode)?.get(columnNode)
      return partial && partials.result(partial)
    },
  }
}

/**
 * The same pivot table with a page of its lines: those with all fields of their axis are counted, subtotals come with the
 * last line before them, the total with the last line of all. All pages together have the rows of the whole table.
 */
export function pageOfCrosstab(crosstab: Crosstab, page: number, pageSize: number): Crosstab {
  const depth = crosstab.model.lines.length
  let lines = 0
  const linePlaces = crosstab.linePlaces.filter((place) => {
    if (place.length === depth) lines++
    return Math.floor(Math.max(0, lines - 1) / pageSize) === page
  })
  return { ...crosstab, linePlaces }
}
