import type { CrosstabModel } from '../crosstabs/crosstab.js'
import type { Schema } from './description.js'
import { axisSchema, exactly, listOf, valueSchema } from './general-schemas.js'

const value: Schema = { type: ['number', 'string', 'null'] }

/** A pivot table as a table. Source: docs/spec/wire-decisions.md, "pivot table". */
export function crosstabTable({ name }: CrosstabModel): Schema {
  const place: Schema = { type: 'array', description: 'A place on an axis; shorter: a subtotal; empty: the total.' }
  const cell: Schema = {
    type: ['array', 'null'],
    items: value,
    description: 'One result per value of the pivot table; null: no records.',
  }
  return exactly({
    name: { const: name },
    lines: listOf(axisSchema),
    columns: listOf(axisSchema),
    values: listOf(valueSchema),
    rows: {
      type: 'array',
      description: 'First the place of each column, after an empty one; then per line its place and a cell per column.',
      items: { type: 'array', prefixItems: [place], items: { anyOf: [cell, place] } },
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
