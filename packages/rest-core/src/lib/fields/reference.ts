import type { FieldDefinition } from '../definition/definition.js'
import type { FieldModel, ReferenceModel } from '../model/model.js'
import { quote } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import { columnValues, parseRowId, type IdValues } from './row-id.js'

/** The row id of a record of another object. That the record is there is checked by the service. */
export const referenceType: FieldType = {
  name: 'reference',
  number: 0,
  empty: '',
  like: true,
  ordered: true,
  parse(input, field) {
    const id = parseRowId(input, valuesOf(field), idOf(field) !== undefined)
    if (!(id instanceof Problem) || valuesOf(field) !== 'uuid' || typeof input !== 'string') return id
    const { target } = field as ReferenceModel
    return new Problem('ERR_REFERENCE', `refers to ${target.name} ${quote(input)}, which does not exist`)
  },
  validate: () => undefined,
  format: String,
  column: (field) => ({ kind: 'reference', values: columnValues(valuesOf(field)) }),
  jsonSchema(field) {
    if (valuesOf(field) !== 'integer') return { type: 'string', ...(field.required ? { minLength: 1 } : {}) }
    return { type: 'string', pattern: field.required ? '^-?[0-9]{1,20}$' : '^(?:-?[0-9]{1,20})?$' }
  },
}

/** Where the definition of the linked object says what its row id is. */
function idOf(field: FieldModel): FieldDefinition | undefined {
  return (field as ReferenceModel).target.definition.fields['row_id']
}

/** From the definition of the linked object, because its model may not be complete while the columns are worked out. */
function valuesOf(field: FieldModel): IdValues {
  const id = idOf(field)
  return (id?.type === 'id' ? id.values : undefined) ?? 'integer'
}
