import type { FieldDefinition } from '../definition/definition.js'
import { createModel } from '../model/create-model.js'
import type { FieldModel } from '../model/model.js'
import { Problem } from './field-type.js'
import type { FieldValue } from './field-value.js'

/** A field `f` of that definition; references may point at `IntegerIds`, `TheirIds` and `StringIds`. */
export function fieldFor(definition: FieldDefinition): FieldModel {
  const model = createModel([
    {
      name: 'Tested',
      fields: definition.type === 'id' ? { row_id: definition, other: { type: 'string' } } : { f: definition },
    },
    { name: 'IntegerIds', fields: { name: { type: 'string', key: true } } },
    { name: 'TheirIds', fields: { row_id: { type: 'id' }, name: { type: 'string', key: true } } },
    { name: 'StringIds', fields: { row_id: { type: 'id', values: 'string' }, name: { type: 'string', key: true } } },
  ])
  return model.object('Tested').readable.get(definition.type === 'id' ? 'row_id' : 'f') as FieldModel
}

/** What the service makes of an input: parsed and, unless it is empty, validated; a problem as `CODE text`. */
export function take(definition: FieldDefinition, input: unknown): FieldValue {
  const field = fieldFor(definition)
  const parsed = field.type.parse(input, field)
  const problem =
    parsed instanceof Problem ? parsed : parsed === field.type.empty ? undefined : field.type.validate(parsed, field)
  return problem ? `${problem.code} ${problem.text}` : (parsed as FieldValue)
}
