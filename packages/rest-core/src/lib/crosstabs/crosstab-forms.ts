import { RestError } from '../../errors.js'
import type { FieldValue } from '../fields/field-value.js'
import type { AxisMetadata, CrosstabMetadata } from '../metadata/metadata.js'
import type { Crosstab, CrosstabAxisModel, CrosstabModel, CrosstabPlace, CrosstabValueModel } from './crosstab.js'

/**
 * Most cells of a pivot table: those with records, and those of a table with subtotals. Not specified; chosen so that an
 * answer stays below some megabytes and takes well below a second beside the database's time.
 */
export const mostCells = 50_000

/** The error for a pivot table with more cells than that. */
export function tooManyCells({ name }: CrosstabModel, cure = 'filter the records that it counts'): RestError {
  return new RestError('ERR_BAD_REQUEST', `The pivot table "${name}" has more than ${mostCells} cells; ${cure}.`)
}

/** One cell: a value per value of the pivot table; `null` where there are no records. */
type Cell = readonly FieldValue[] | null

/** A pivot table as it is answered. Source: docs/spec/wire-decisions.md, "pivot table". */
export interface CrosstabTable {
  readonly name: string
  readonly lines: readonly AxisMetadata[]
  readonly columns: readonly AxisMetadata[]
  readonly values: CrosstabMetadata['values']
  /**
   * First the header: `[]`, then the place of each column. Then a row per line: its place, then a cell per column. A place
   * shorter than its axis is the subtotal of those before it that begin with it, `[]` the total.
   */
  readonly rows: readonly (readonly (CrosstabPlace | Cell)[])[]
  /** The cell of all records. */
  readonly totals: readonly FieldValue[]
}

/** The table form of a pivot table, with subtotals and totals. @throws RestError ERR_BAD_REQUEST for too many cells */
export function crosstabTable(crosstab: Crosstab): CrosstabTable {
  const { model, linePlaces, columnPlaces, cell } = crosstab
  if (linePlaces.length * columnPlaces.length > mostCells)
    throw tooManyCells(model, 'filter the records that it counts, or ask for a page of its lines')
  return {
    name: model.name,
    lines: model.lines.map(describeAxis),
    columns: model.columns.map(describeAxis),
    values: model.values.map(describeValue),
    rows: [
      [[], ...columnPlaces],
      ...linePlaces.map((line) => [line, ...columnPlaces.map((column) => cell(line, column) ?? null)]),
    ],
    totals: cell([], []) ?? [],
  }
}

/**
 * The flat form: one entry per cell with records, by the names of lines, columns and values, without subtotals; a single
 * value is called `value`.
 */
export function crosstabCubes({ model, linePlaces, columnsOf, cell }: Crosstab): Record<string, FieldValue>[] {
  const { lines, columns, values } = model
  const axes = [...lines, ...columns].map(({ name }) => name)
  const names = [...axes, ...(values.length === 1 ? ['value'] : values.map(({ name }) => name))]
  const cubes: Record<string, FieldValue>[] = []
  for (const line of linePlaces) {
    if (line.length < lines.length) continue
    for (const column of columnsOf(line)) {
      if (column.length < columns.length) continue
      const entries = [...line, ...column, ...(cell(line, column) ?? [])]
      cubes.push(Object.fromEntries(names.map((name, at) => [name, entries[at] as FieldValue])))
    }
  }
  return cubes
}

/** A line or column axis as it is answered, in metadata too. */
export function describeAxis({ name, label, field, by }: CrosstabAxisModel): AxisMetadata {
  return { name, label, field: field.name, by: by ?? null }
}

export function describeValue({
  name,
  label,
  function: kind,
  field,
}: CrosstabValueModel): CrosstabMetadata['values'][number] {
  return { name, label, function: kind, field: field?.name ?? null }
}
