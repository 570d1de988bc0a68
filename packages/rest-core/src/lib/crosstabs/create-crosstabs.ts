import { checkNamed } from '../actions/create-actions.js'
import { baseField } from '../model/model.js'
import type { ObjectModel, ReadableField } from '../model/model.js'
import type {
  CrosstabAxis,
  CrosstabAxisModel,
  CrosstabDefinition,
  CrosstabModel,
  CrosstabValue,
  CrosstabValueModel,
} from './crosstab.js'

const parts = ['year', 'quarter', 'month', 'day']
const functions = ['count', 'sum', 'avg', 'min', 'max']
const numbers: readonly string[] = ['integer', 'decimal']
const comparable: readonly string[] = [...numbers, 'date', 'datetime', 'time']

/** The pivot tables of an object by name, once its joined fields are linked; mistakes are added to `problems`. */
export function createCrosstabs(object: ObjectModel, problems: string[]): ReadonlyMap<string, CrosstabModel> {
  const crosstabs = new Map<string, CrosstabModel>()
  for (const [name, definition] of Object.entries(object.definition.crosstabs ?? {})) {
    const found: string[] = []
    crosstabs.set(name, createCrosstab(object, name, definition, found))
    problems.push(...found.map((text) => `${object.name}.crosstabs.${name}: ${text}`))
  }
  return crosstabs
}

function createCrosstab(
  object: ObjectModel,
  name: string,
  definition: CrosstabDefinition,
  problems: string[],
): CrosstabModel {
  const { label = name, lines, columns = [], values = [{ function: 'count' }] } = definition
  problems.push(...checkNamed(name, undefined))
  if (lines.length === 0) problems.push('it has no lines')
  if (values.length === 0) problems.push('it has no values; leave "values" out to count records')
  const axes = (given: readonly CrosstabAxis[]) => given.flatMap((axis) => createAxis(object, axis, problems) ?? [])
  const model = {
    name,
    label,
    lines: axes(lines),
    columns: axes(columns),
    values: values.flatMap((value) => createValue(object, value, problems) ?? []),
    definition,
  }
  problems.push(...checkNames(model))
  return model
}

function createAxis(object: ObjectModel, axis: CrosstabAxis, problems: string[]): CrosstabAxisModel | undefined {
  const { field: name, by, label } = typeof axis === 'string' ? { field: axis } : axis
  const field = readableField(object, name, problems)
  if (!field) return undefined
  if (!field.type.ordered) problems.push(`records cannot be grouped by "${name}" of type ${field.type.name}`)
  if (by !== undefined && !parts.includes(by))
    problems.push(`"${name}" is grouped by "${by as string}"; it must be one of ${parts.join(', ')}`)
  if (by !== undefined && field.type.name !== 'date' && field.type.name !== 'datetime')
    problems.push(`"${name}" of type ${field.type.name} has no ${by}`)
  const plain = baseField(field).label
  return {
    name: by === undefined ? name : `${name}_${by}`,
    label: label ?? (by === undefined ? plain : `${plain} (${by})`),
    field,
    by,
  }
}

function createValue(object: ObjectModel, value: CrosstabValue, problems: string[]): CrosstabValueModel | undefined {
  const { function: kind, field: fieldName } = value
  const { name = fieldName === undefined ? kind : `${kind}_${fieldName}` } = value
  const model = { name, label: value.label ?? name, function: kind }
  if (!functions.includes(kind)) {
    problems.push(`function "${kind as string}" of a value must be one of ${functions.join(', ')}`)
    return undefined
  }
  if (!/^[A-Za-z]\w*$/.test(name))
    problems.push(`the name "${name}" of a value must have letters, digits and "_" and start with a letter`)
  if (fieldName === undefined) {
    if (kind !== 'count') problems.push(`${kind} needs a field`)
    return { ...model, field: undefined }
  }
  const field = readableField(object, fieldName, problems)
  if (!field) return undefined
  const { name: type } = field.type
  const fits = kind === 'count' || (kind === 'sum' || kind === 'avg' ? numbers : comparable).includes(type)
  if (!fits) problems.push(`${kind} does not work on "${fieldName}" of type ${type}`)
  return { ...model, field }
}

function readableField(object: ObjectModel, name: string, problems: string[]): ReadableField | undefined {
  const field = object.field(name)
  if (!field) problems.push(`there is no field "${name}"`)
  else if (!baseField(field).visible) problems.push(`field "${name}" is hidden`)
  else return field
  return undefined
}

/** These names distinguish cells of the flat form. */
function checkNames({ lines, columns, values }: CrosstabModel): string[] {
  const names = [...lines, ...columns, ...values].map(({ name }) => name)
  // In the flat form a single value is called so.
  if (values.length === 1 && values[0]?.name !== 'value') names.push('value')
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at))
  return [...twice].map((name) => `"${name}" is the name of more than one line, column or value`)
}
