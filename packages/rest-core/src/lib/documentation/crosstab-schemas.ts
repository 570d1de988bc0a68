import type { CrosstabModel, CrosstabValueModel } from '../crosstabs/crosstab.js'
import type { Schema } from './description.js'
import { exactly, listOf } from './general-schemas.js'

/** A place on an axis: any value of a field; shorter places are subtotals. */
const place = listOf({})
const value: Schema = { type: ['number', 'string', 'null'] }

/** A pivot table. Source: wire-decisions, "pivot table". */
export function crosstabTable({ name }: CrosstabModel): Schema {
  return {
    type: 'object',
    properties: {
      name: { const: name },
      lines: listOf({ type: 'object' }),
      columns: listOf({ type: 'object' }),
      values: listOf({ type: 'object' }),
      rows: listOf(place),
      totals: {},
    },
    required: ['name', 'lines', 'columns', 'values', 'rows', 'totals'],
    title: 'Table',
  }
}

/** The cells of a pivot table. */
export function crosstabCubes({ lines, columns, values }: CrosstabModel): Schema {
  const axes = [...lines, ...columns].map(({ name }) => [name, {}])
  return listOf(exactly(Object.fromEntries([...axes, ...values.map(valueOf)]) as Record<string, Schema>))
}

function valueOf({ name }: CrosstabValueModel): [string, Schema] {
  return [name, value]
}
