import type { AggregateQuery, AggregateRow } from '../store.js'
import type { Crosstab, CrosstabModel } from './crosstab.js'
import { createPartials, type Partial } from './partials.js'
import { createPlace, findPlace, pathTo, placesInOrder, type PlaceNode } from './places.js'

/** What a pivot table asks of the store. */
export function crosstabQuery({ lines, columns, values }: CrosstabModel): Pick<AggregateQuery, 'groups' | 'values'> {
  return {
    groups: [...lines, ...columns].map(({ field, by }) => ({ field: field.name, by })),
    values: createPartials(values).parts.map((part) => ({ function: part.function, field: part.field?.name })),
  }
}

/** The pivot table over the store's groups; subtotals and totals are put together from them. */
export function computeCrosstab(model: CrosstabModel, rows: readonly AggregateRow[]): Crosstab {
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
  const columnPlaces = placesInOrder(column, columns)
  const ranks = new Map(columnPlaces.map((node, at) => [node, at]))
  const rank = (node: PlaceNode): number => ranks.get(node) as number
  return {
    model,
    linePlaces: placesInOrder(line, lines).map(({ place }) => place),
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
