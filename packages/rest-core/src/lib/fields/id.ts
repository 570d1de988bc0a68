import type { IdField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import type { FieldType } from './field-type.js'
import { columnValues, parseRowId, type IdValues } from './row-id.js'

/** The row id: a string, also where the column holds integers. */
export const idType: FieldType = {
  name: 'id',
  number: 0,
  empty: '',
  like: true,
  ordered: true,
  parse: (input, field) => parseRowId(input, valuesOf(field), field.object.isMapped),
  validate: () => undefined,
  format: String,
  column: (field) => ({ kind: 'id', values: columnValues(valuesOf(field)) }),
  jsonSchema: (field) => ({ type: 'string', ...(valuesOf(field) === 'uuid' ? { format: 'uuid' } : {}) }),
}

function valuesOf(field: FieldModel): IdValues {
  return (field.definition as IdField).values ?? 'integer'
}
