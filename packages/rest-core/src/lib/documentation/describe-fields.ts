import type { DocumentField, ImageField, IntegerField, TextField } from '../definition/definition.js'
import { enumValues } from '../fields/enum-values.js'
import { baseField } from '../model/model.js'
import type { FieldModel } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Access } from '../rights/access.js'
import type { Principal } from '../rights/rights.js'
import { initialState } from '../service/input.js'
import { mayUse } from '../service/states.js'
import type { FieldDescription } from './description.js'
import { code, plainText } from './markdown-text.js'
import { mayWrite } from './object-schemas.js'

/** The fields that the user may read or write, for people. */
export function describeFields(access: Access, principal: Principal): FieldDescription[] {
  const { object, selectionWithTimestamps, hides, locks } = access
  const written = object.fields.filter(
    (field) =>
      (!field.visible || hides(field)) &&
      (['C', 'U'] as const).some((letter) => mayWrite(access, letter) && !locks(field, letter)),
  )
  return [...selectionWithTimestamps.fields, ...written].map((field) => ({
    name: field.name,
    label: baseField(field).label,
    help: baseField(field).definition.help ?? '',
    type: field.type.custom?.name ?? field.type.name,
    rules: isJoined(field) ? [`of ${code(baseField(field).object.name)}`] : rulesOf(field, access, principal),
  }))
}

/** Rules of an own field: Markdown. */
function rulesOf(field: FieldModel, access: Access, principal: Principal): string[] {
  const { object, definition } = field
  const { default: start } = definition
  return [
    field.key ? 'functional key' : '',
    field.required && !field.key && field.type.empty !== false ? 'required' : '',
    field.unique ? 'unique' : '',
    field === object.id || field.readOnly ? 'read-only' : '',
    field.createOnly ? 'on creation only' : '',
    field.visible ? '' : 'never answered',
    ...typeRules(field),
    start === undefined ? '' : `default ${code(typeof start === 'string' ? start : JSON.stringify(start))}`,
    field === object.state ? stateRule(field, access, principal) : '',
  ].filter((rule) => rule !== '')
}

function typeRules(field: FieldModel): string[] {
  const { custom } = field.type
  return custom ? [custom.summary, ...builtInRules(field)] : builtInRules(field)
}

function builtInRules(field: FieldModel): string[] {
  const { definition, type } = field
  // Also of a type that is based on it.
  if (type.name === 'integer' || type.name === 'decimal')
    return [...rangeRules(definition as IntegerField), digitsRule(field)]
  switch (definition.type) {
    case 'reference':
      return [`row id of ${code(definition.object)}`]
    case 'enum':
    case 'multi-enum':
      return [listRule(field)]
    case 'document':
      return [bytesRule(definition)]
    case 'image':
      return [
        bytesRule(definition),
        definition.mediaTypes ? `one of ${definition.mediaTypes.map(code).join(', ')}` : '',
      ]
    case 'datetime':
      return [definition.zone === 'none' ? 'local time without a time zone' : 'UTC']
    case 'password':
      return [...textRules(field), definition.minLength ? `at least ${definition.minLength} characters` : '']
    default:
      return textRules(field)
  }
}

function textRules({ definition, columnType, type }: FieldModel): string[] {
  const { length = columnType.kind === 'string' ? columnType.length : undefined, pattern } = definition as TextField
  const limit = length === undefined || type.name === 'geocoords' ? '' : `at most ${length} characters`
  return [limit, pattern === undefined ? '' : `matches ${code(pattern)}`]
}

function bytesRule({ maxBytes }: DocumentField | ImageField): string {
  return maxBytes === undefined ? '' : `at most ${maxBytes} bytes`
}

function rangeRules({ min, max }: IntegerField): string[] {
  return [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`]
}

function digitsRule({ columnType }: FieldModel): string {
  if (columnType.kind === 'decimal' && columnType.storage)
    return columnType.storage === 'unlimited' ? '' : `a floating-point number of ${columnType.storage} precision`
  if (columnType.kind === 'decimal')
    return `at most ${columnType.precision} digits, ${columnType.scale} after the point`
  return columnType.kind === 'integer' ? `at most ${columnType.precision} digits` : ''
}

function listRule(field: FieldModel): string {
  const values = enumValues(field).map(({ code: name, label, enabled }) => {
    const shown = label === name ? code(name) : `${code(name)} ${plainText(label)}`
    return enabled ? shown : `${shown} (no longer)`
  })
  return `one of ${values.join(', ')}`
}

function stateRule(field: FieldModel, access: Access, principal: Principal): string {
  const { transitions = [] } = field.object.definition.states ?? {}
  const own = transitions.filter((transition) => access.may('U') && mayUse(transition, principal))
  const ways = own.map(({ from, to }) => `${[from].flat().map(code).join(' or ')} → ${code(to)}`)
  return `state, starts as ${code(initialState(field))}${ways.length > 0 ? `, then ${ways.join(', ')}` : ''}`
}
