import type { CrosstabModel } from '../crosstabs/crosstab.js'
import type { Schema } from './description.js'
import { axisSchema, exactly, listOf, valueSchema } from './general-schemas.js'

const value: Schema = { type: ['number', 'string', 'null'] }

/** A pivot table as a table. Source: docs/spec/wire-decisions.md, "pivot table". */
export function crosstabTable({ name }: CrosstabModel): Schema {
  // Generators of clients take no list whose first item has another form.
  const placeOrCell: Schema = {
    type: ['array', 'null'],
    items: { type: ['number', 'string', 'boolean', 'null'] },
    description:
      'A place on an axis (shorter: a subtotal; empty: the total), or a cell: one result per value of the pivot table; null: no records.',
  }
  return exactly({
    name: { const: name },
    lines: listOf(axisSchema),
    columns: listOf(axisSchema),
    values: listOf(valueSchema),
    rows: {
      type: 'array',
      description: 'First the place of each column, after an empty one; then per line its place and a cell per column.',
      items: listOf(placeOrCell),
    },
    totals: { ...listOf(value), description: 'The cell of all records.' },
  })
}

/** A pivot table as the list of its cells: a single value is called `value`. */
export function crosstabCubes({ lines, columns, values }: CrosstabModel): Schema {
  const axes = [...lines, ...columns].map(({ name }) => [name, {}] as const)
  const names = values.length === 1 ? ['value'] : values.map(({ name }) => name)
  return listOf(exactly(Object.fromEntries([...axes, ...names.map((name) => [name, value] as const)])))
}
