import { longNumberPattern } from '../fields/decimal.js'
import type { ColumnType } from '../fields/field-type.js'
import { fractionPattern, isExtended } from '../fields/temporal.js'
import type { FieldModel, ReadableField, ReferenceModel } from '../model/model.js'
import { baseField } from '../model/model.js'
import { initialState } from '../service/input.js'
import { reference } from './description.js'
import type { Schema } from './description.js'
import { plainText } from './markdown-text.js'

/** Schema of a document that is answered in place of its id. */
export const inlinedDocument = 'rest.Document'
/** Schemas of a new document, and of one that must be a picture. */
export const uploadedDocument = 'rest.NewDocument'
export const uploadedImage = 'rest.NewImage'

const digits = String.raw`-?\d+`
const number = String.raw`${digits}(\.\d+)?`

/**
 * A value as it is answered. Rules that hold for new values only (length, range, list) are left out: records may be older
 * than the rules. Every value can be empty.
 */
export function answeredSchema(field: ReadableField): Schema {
  return { ...answeredForm(field), title: baseField(field).label, ...helpOf(field) }
}

function answeredForm(field: ReadableField): Schema {
  const { columnType: column, type } = field
  switch (type.name) {
    case 'id':
      return { type: 'string', ...(isNumeric(field) && { pattern: `^${digits}$` }) }
    case 'reference':
      return { type: 'string', ...(isNumeric(field) && { pattern: `^(${digits})?$` }) }
    case 'integer':
      return column.kind === 'integer' && column.precision > 15
        ? { type: ['integer', 'string', 'null'], pattern: `^${digits}$` }
        : { type: ['integer', 'null'] }
    case 'decimal':
      if (column.kind === 'decimal' && column.storage) return withoutSize(column)
      return column.kind === 'decimal' && column.precision > 15
        ? { type: ['number', 'string', 'null'], pattern: `^${number}$` }
        : { type: ['number', 'null'] }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
    case 'datetime':
    case 'time':
      return { type: 'string', pattern: temporalPattern(type.name, column) }
    case 'enum':
      return { type: 'string', ...codesOf(field) }
    case 'multi-enum':
      return { type: 'array', items: { type: 'string', ...codesOf(field) } }
    case 'geocoords':
      return { type: 'string', pattern: `^(${number};${number})?$` }
    case 'object':
      return {}
    case 'document':
    case 'image':
      return { anyOf: [{ type: 'string' }, reference(inlinedDocument)] }
    case 'html':
      return { type: 'string', contentMediaType: 'text/html' }
    default:
      return { type: 'string' }
  }
}

function withoutSize(column: Extract<ColumnType, { kind: 'decimal' }>): Schema {
  return column.storage === 'unlimited' || column.extended
    ? { type: ['number', 'string', 'null'], pattern: longNumberPattern(column) }
    : { type: ['number', 'null'] }
}

const day = String.raw`\d{4}-\d{2}-\d{2}`
const clock = String.raw`\d{2}:\d{2}:\d{2}`

/** The form of any value that is answered. */
function temporalPattern(name: 'date' | 'datetime' | 'time', column: ColumnType): string {
  const fraction = fractionPattern(column)
  if (!isExtended(column))
    return `^(${{ date: day, datetime: `${day} ${clock}${fraction}`, time: `${clock}${fraction}` }[name]})?$`
  const anyDay = String.raw`\d{4,}-\d{2}-\d{2}`
  const forms = {
    date: `-?infinity|${anyDay}(?: BC)?`,
    datetime: `-?infinity|${anyDay} ${clock}${fraction}(?: BC)?`,
    time: String.raw`-?\d{2,3}:\d{2}:\d{2}${fraction}`,
  }
  return `^(${forms[name]})?$`
}

/** A value as it may be sent. */
export function sentSchema(field: FieldModel, operation: 'create' | 'update'): Schema {
  return {
    ...sentForm(field, operation),
    title: field.label,
    ...helpOf(field),
    ...(field.unique && !field.key && { 'x-unique': true }),
  }
}

function sentForm(field: FieldModel, operation: 'create' | 'update'): Schema {
  const schema = field.type.jsonSchema(field)
  switch (field.type.name) {
    case 'enum': {
      const codes = field === field.object.state && operation === 'create' ? [initialState(field)] : enabledCodes(field)
      return { ...schema, enum: [...codes, ...(field.required ? [] : [''])] }
    }
    case 'multi-enum':
      return { ...schema, items: { type: 'string', enum: enabledCodes(field) } }
    case 'document':
    case 'image': {
      const uploaded = reference(field.type.name === 'image' ? uploadedImage : uploadedDocument)
      return operation === 'create'
        ? { anyOf: [...(field.required ? [] : [{ const: '' }]), uploaded] }
        : { anyOf: [{ type: 'string' }, uploaded] }
    }
    case 'decimal': {
      const { columnType: column } = field
      return column.kind === 'decimal' && !column.storage ? { ...schema, 'x-decimal-places': column.scale } : schema
    }
    default:
      return field.visible ? schema : { ...schema, writeOnly: true }
  }
}

function enabledCodes({ codes = new Map() }: FieldModel): string[] {
  return [...codes].filter(([, enabled]) => enabled).map(([name]) => name)
}

/** Records may hold codes that the list no longer has, so it is not an `enum`. */
function codesOf(field: ReadableField): Schema {
  return { 'x-extensible-enum': [...(baseField(field).codes?.keys() ?? [])] }
}

function helpOf(field: ReadableField): Schema {
  const { help, ...definition } = baseField(field).definition
  const isLocal = definition.type === 'datetime' && definition.zone === 'none'
  const texts = [...(help ? [plainText(help)] : []), ...(isLocal ? ['Local time without a time zone.'] : [])]
  return { ...(texts.length > 0 && { description: texts.join(' ') }), ...(isLocal && { 'x-time-zone': 'none' }) }
}

function isNumeric(field: ReadableField): boolean {
  const { columnType: column } = field
  if (column.kind === 'id') return column.values === 'integer'
  const { target } = baseField(field) as ReferenceModel
  return target.id.columnType.kind === 'id' && target.id.columnType.values === 'integer'
}
