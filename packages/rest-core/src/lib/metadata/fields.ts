import type { IntegerField, PasswordField } from '../definition/definition.js'
import { takenMediaTypes } from '../documents/image-content.js'
import { mostBytes } from '../documents/most-bytes.js'
import { enumValues } from '../fields/enum-values.js'
import type { ColumnType } from '../fields/field-type.js'
import type { FieldValue } from '../fields/field-value.js'
import { baseField } from '../model/model.js'
import type { FieldModel, ReadableField, ReferenceModel } from '../model/model.js'
import { isJoined } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { initialState } from '../service/input.js'
import type { MetadataContext } from './context.js'
import type { FieldMetadata } from './metadata.js'

/** The fields that the user may read or fill in, the row id first, each reference followed by its joined fields. */
export function fieldsMetadata(access: Access, context: MetadataContext): FieldMetadata[] {
  const { object } = access
  const passwords = object.fields.filter(({ type }) => type.name === 'password')
  const fields = [...object.selection.fields, ...passwords].filter(
    (field) => !access.hides(field) || mayCreate(access, field) || mayUpdate(access, field),
  )
  const places = new Map(object.fields.map((field, place) => [field, place]))
  const placeOf = (field: ReadableField): number => places.get(isJoined(field) ? firstOf(field) : field) ?? -1
  return fields
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((field, index) => ({ ...describe(field, index + 1), ...inContext(access, field, context) }))
}

/** The parameters of an action, described like fields. */
export function parametersMetadata(parameters: readonly FieldModel[]): FieldMetadata[] {
  return parameters.map((parameter, index) => ({
    ...describe(parameter, index + 1),
    area: '',
    searchable: false,
    visible: true,
    required: mustBeGiven(parameter),
    updatable: true,
  }))
}

type InContext = Pick<FieldMetadata, 'required' | 'updatable' | 'visible'>

/** Not specified; chosen so that a page can make the form of each context from it alone. */
function inContext(access: Access, field: ReadableField, context: MetadataContext): InContext {
  const searchable = isSearchable(field) && !access.hides(field)
  const onCreate = mayCreate(access, field)
  const onUpdate = mayUpdate(access, field)
  const visible = (isJoined(field) || field.visible) && !access.hides(field)
  switch (context) {
    case 'none':
    case 'datamapselect':
    case 'action':
    case 'agenda':
    case 'placemap':
      return { required: isRequired(field), updatable: onCreate || onUpdate, visible }
    case 'search':
      return { required: false, updatable: searchable, visible: searchable }
    case 'create':
    case 'copy':
      return { required: onCreate && mustBeGiven(baseField(field)), updatable: onCreate, visible: visible || onCreate }
    case 'update':
    case 'prevalidate':
    case 'postvalidate':
    case 'import':
      return { required: onUpdate && isRequired(field), updatable: onUpdate, visible: visible || onUpdate }
    // Some fields of many records: none of them has to be given, and keys stay what they are.
    case 'bulkupdate':
      return { required: false, updatable: onUpdate && !isKey(field), visible: visible || onUpdate }
    case 'statetransition':
      return { required: isState(field) && onUpdate, updatable: onUpdate, visible: visible || onUpdate }
    default:
      return { required: false, updatable: false, visible }
  }
}

function describe(field: ReadableField, order: number): Omit<FieldMetadata, 'required' | 'updatable' | 'visible'> {
  const own = baseField(field)
  const holder = isJoined(field) ? firstOf(field) : field
  const listed = own.codes !== undefined
  return {
    id: `${holder.object.name}.${field.name}`,
    name: field.name,
    input: field.name,
    fullinput: isJoined(field) ? [...field.path.map(({ name }) => name), own.name].join('.') : field.name,
    order,
    label: own.label,
    help: own.definition.help ?? '',
    type: field.type.number,
    ...sizeOf(field.columnType),
    ...rulesOf(field),
    area: areaOf(holder),
    key: !isJoined(field) && field.key,
    searchable: isSearchable(field),
    searchOrder: searchOrder(holder, field.name),
    defaultValue: isJoined(field) ? null : defaultOf(field),
    refId: isJoined(field) ? `${holder.object.name}.${holder.name}` : null,
    ref: isJoined(field) ? holder.name : null,
    refObject: isJoined(field) ? own.object.name : isReference(field) ? field.target.name : null,
    refField: isJoined(field) ? own.name : isReference(field) ? 'row_id' : null,
    listOfValuesName: listed ? `${own.object.name}.${own.name}` : null,
    listOfValues: listed ? enumValues(own).map(({ code, label: value, enabled }) => ({ code, value, enabled })) : null,
  }
}

/** Characters of dates and times without fractions of a second. */
const lengths = { date: 10, datetime: 19, time: 8 }

type Rules = Pick<
  FieldMetadata,
  'unique' | 'min' | 'max' | 'minLength' | 'pattern' | 'zone' | 'maxBytes' | 'mediaTypes'
>

/** What else holds of its values: of a joined field what may be written in its own object. */
function rulesOf(field: ReadableField): Rules {
  const own = baseField(field)
  const { definition, type } = own
  const {
    min = null,
    max = null,
    minLength = 0,
    pattern = null,
  } = definition as Partial<IntegerField> & Partial<PasswordField>
  return {
    unique: own.unique,
    min,
    max,
    minLength,
    pattern,
    zone: definition.type === 'datetime' ? (definition.zone ?? 'UTC') : null,
    maxBytes: type.name === 'document' || type.name === 'image' ? mostBytes(own) : null,
    mediaTypes: definition.type === 'image' ? takenMediaTypes(definition) : null,
  }
}

function sizeOf(column: ColumnType): { length: number; precision: number } {
  switch (column.kind) {
    case 'string':
      return { length: column.length, precision: 0 }
    case 'integer':
      return { length: column.precision, precision: 0 }
    case 'decimal':
      return column.storage ? { length: 0, precision: 0 } : { length: column.precision, precision: column.scale }
    case 'date':
    case 'datetime':
    case 'time': {
      const { precision = 0, extended } = { precision: undefined, ...column }
      const length = lengths[column.kind] + (precision === 0 ? 0 : 1 + precision)
      return { length: extended ? 0 : length, precision }
    }
    default:
      return { length: column.kind === 'boolean' ? 1 : 0, precision: 0 }
  }
}

function searchOrder({ object }: FieldModel, name: string): number {
  const place = object.order.findIndex(({ field }) => field === name)
  if (place < 0 || name === 'row_id') return 0
  return object.order[place]?.descending ? -place - 1 : place + 1
}

function defaultOf(field: FieldModel): FieldValue {
  const value = field === field.object.state ? initialState(field) : field.definition.default
  return (value ?? null) as FieldValue
}

/** Whether a creation fails without it. */
function mustBeGiven(field: FieldModel): boolean {
  return isRequired(field) && defaultOf(field) === null
}

/** A boolean always has a value. */
function isRequired(field: ReadableField): boolean {
  return !isJoined(field) && field.required && field.type.empty !== false
}

function isKey(field: ReadableField): boolean {
  return !isJoined(field) && (field.key || field.unique)
}

function isState(field: ReadableField): boolean {
  return !isJoined(field) && field === field.object.state
}

function isSearchable(field: ReadableField): boolean {
  return baseField(field).visible
}

function mayCreate({ object, may, locks }: Access, field: ReadableField): boolean {
  if (isJoined(field) || object.readOnly || !may('C') || locks(field, 'C')) return false
  return field === object.id ? field.definition.readOnly === false : !field.readOnly
}

function mayUpdate({ object, may, locks }: Access, field: ReadableField): boolean {
  if (isJoined(field) || field === object.id || object.readOnly || !may('U') || locks(field, 'U')) return false
  return !field.readOnly && !field.createOnly
}

/** Name of the field's area: its own, else the object's first. */
function areaOf(field: FieldModel): string {
  const [first = field.object.name] = Object.keys(field.object.definition.areas ?? {})
  return field.definition.area ?? first
}

function firstOf(field: ReadableField): ReferenceModel {
  return field.path[0] as ReferenceModel
}

function isReference(field: FieldModel): field is ReferenceModel {
  return field.type.name === 'reference'
}
