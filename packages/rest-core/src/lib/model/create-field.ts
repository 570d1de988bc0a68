import type { CustomField, FieldDefinition } from '../definition/definition.js'
import { asBuiltIn, customised, type CustomTypes } from '../fields/custom-type.js'
import type { FieldType } from '../fields/field-type.js'
import { Problem } from '../fields/field-type.js'
import { fieldTypes } from '../fields/index.js'
import { keyIdType } from '../fields/key-id.js'
import type { FieldModel, ObjectModel } from './model.js'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const none: CustomTypes = new Map()

/**
 * A field of an object, or something that is described like one.
 *
 * @param types of the application.
 */
export function createField(
  object: ObjectModel,
  name: string,
  given: FieldDefinition,
  types: CustomTypes = none,
): FieldModel {
  const definition = asBuiltIn(given, types)
  const type = typeOf(given, types)
  const field: Mutable<FieldModel> = {
    name,
    label: definition.label ?? name,
    column: definition.column ?? name,
    object,
    type,
    columnType: undefined as never,
    definition,
    required:
      definition.type === 'id' ? mustBeGiven(definition) : definition.required === true || definition.key === true,
    allowsEmpty: 'allowEmpty' in definition && definition.allowEmpty === true,
    key: definition.key === true,
    unique: definition.unique === true,
    indexed: definition.index === true,
    readOnly: definition.readOnly === true,
    createOnly: definition.createOnly === true,
    visible: definition.hidden !== true && definition.type !== 'password',
    pattern:
      'pattern' in definition && definition.pattern !== undefined
        ? new RegExp(`^(?:${definition.pattern})$`, 'v')
        : undefined,
    codes: 'values' in definition && Array.isArray(definition.values) ? codesOf(definition.values) : undefined,
    parts: undefined,
    path: [],
  }
  if (definition.type === 'reference')
    Object.assign(field, { onDelete: definition.onDelete ?? 'refuse', target: undefined })
  // A reference takes the column type of what it points at; `linkReferences` corrects it.
  field.columnType = definition.type === 'reference' ? { kind: 'reference', values: 'integer' } : type.column(field)
  // A blank is in no other name of a field.
  if (field.columnType.kind === 'bytes')
    field.content = { ...field, name: `${name} content`, columnType: { kind: 'bytes', whole: true }, visible: false }
  return field
}

function typeOf(given: FieldDefinition, types: CustomTypes): FieldType {
  const definition = asBuiltIn(given, types)
  const type = definition.type === 'id' && definition.fields ? keyIdType : fieldTypes[definition.type]
  const custom = types.get(given.type)
  return custom ? customised(type, custom, given as CustomField) : type
}

/** Only an id that comes with the request can be required of it. */
function mustBeGiven({ required, readOnly }: FieldDefinition): boolean {
  return required === true && readOnly === false
}

/**
 * A default must be a value of its field; `[DATE]`, `[DATETIME]` and `[LOGIN]` are filled in on creation.
 *
 * @param place for the message, e.g. `Movie.mov_year`.
 */
export function checkDefault(field: FieldModel, place: string): string[] {
  const { default: value } = field.definition
  if (value === undefined || (typeof value === 'string' && /^\[(DATE|DATETIME|LOGIN)\]$/.test(value))) return []
  const parsed = field.type.parse(value, field)
  const problem = parsed instanceof Problem ? parsed : field.type.validate(parsed, field)
  return problem ? [`${place}.default: ${problem.text}`] : []
}

function codesOf(values: readonly (string | { code: string; enabled?: boolean })[]): ReadonlyMap<string, boolean> {
  return new Map(
    values.map((value) => (typeof value === 'string' ? [value, true] : [value.code, value.enabled !== false])),
  )
}
