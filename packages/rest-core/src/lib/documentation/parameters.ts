import type { ReadableField } from '../model/model.js'
import { baseField } from '../model/model.js'
import type { Access } from '../rights/access.js'
import { contextSchema } from './general-schemas.js'
import type { ParameterDescription, Schema } from './description.js'
import { code, plainText } from './markdown-text.js'
import { longestPath } from '../model/create-model.js'
import { filterableFields, pathStarts } from './object-schemas.js'
import type { RequestParameter, Route, ServiceInterface } from './service-interface.js'

/** Parameters that choose the operation; their operations have addresses of their own here. */
const choosing: ReadonlySet<string> = new Set([
  '_method',
  '_metadata',
  '_doc',
  '_count',
  '_crosstab',
  '_action',
  '_printtemplate',
])

/** A number of records comes of the filters alone. */
const ofRecordsOnly: ReadonlySet<string> = new Set([
  '_order',
  '_fields',
  '_timestamps',
  '_inline_documents',
  '_inline_thumbnails',
  '_cursor',
])
/** Operations that have no address of their own for their count. */
const countsOf: ReadonlySet<string> = new Set(['indexSearch', 'action', 'publication', 'crosstab'])

const ofPagesOnly: ReadonlySet<string> = new Set(['_page', '_pagesize', '_order'])

/** Their values are names of fields, so that they differ from object to object, but not within one. */
const namesFields: ReadonlySet<string> = new Set(['fields', 'order', 'documents', 'images'])

/** The parameters of an operation in its address after `?`, without filters. */
export function queryParameters(
  { parameters }: ServiceInterface,
  { operation, view, path }: Route,
  access: Access | undefined,
): ParameterDescription[] {
  const meant = parameters.filter(
    ({ name, on, form }) =>
      on.includes(operation) &&
      (!choosing.has(name) || (name === '_count' && countsOf.has(operation) && !path.includes('{row_id}'))) &&
      !(view === '_count' && ofRecordsOnly.has(name)) &&
      !(path.includes('{row_id}') && ofPagesOnly.has(name)) &&
      !((path.includes('{row_id}') || !access) && name === '_filter') &&
      !((form === 'documents' || form === 'images') && documentFields(access, form).length === 0),
  )
  return meant.map((parameter) => ({
    name: parameter.name,
    in: 'query',
    required: parameter.name === '_indexsearch',
    text: parameter.text,
    ...formOf(parameter, operation, access),
    ...(access && namesFields.has(parameter.form) && { shared: `${access.object.name}.${parameter.name}` }),
  }))
}

function formOf(
  { name, form }: RequestParameter,
  operation: string,
  access: Access | undefined,
): { schema: Schema; list?: 'commas' } {
  switch (form) {
    case 'flag':
      return { schema: { type: 'boolean' } }
    case 'number':
      return { schema: name === '_pagesize' ? { type: 'integer', minimum: 1, maximum: 1000 } : page }
    case 'text':
      return { schema: { type: 'string' } }
    case 'context':
      return { schema: contextSchema }
    case 'output':
      return { schema: { type: 'string', enum: outputs[operation] ?? ['json'] } }
    case 'documents':
    case 'images':
      return names(['true', ...documentFields(access, form)])
    case 'fields':
      return names(access && readableNames(access), access && pathsOf(access))
    case 'order':
      return names(
        access && sortableNames(access).flatMap((field) => [field, `-${field}`]),
        access && pathsOf(access, '-?'),
      )
  }
}

/** Pages beyond are not refused, but no database goes there. */
const page: Schema = { type: 'integer', minimum: 0, maximum: 1_000_000_000 }

const outputs: Readonly<Record<string, readonly string[]>> = {
  documentation: ['markdown', 'html', 'openapi', 'swagger-2.0'],
  publication: ['json'],
}

export function names(known: readonly string[] | undefined, paths?: Schema): { schema: Schema; list: 'commas' } {
  const listed = known ? { type: 'string', enum: known } : { type: 'string' }
  const items = paths ? { anyOf: [listed, paths] } : listed
  return { schema: { type: 'array', minItems: 1, items }, list: 'commas' }
}

/** Fields of linked objects by a pattern: five references far there may be thousands. */
function pathsOf(access: Access, sign = ''): Schema | undefined {
  const starts = pathStarts(access)
  if (starts.length === 0) return undefined
  return { type: 'string', pattern: `^${sign}(${starts.join('|')})(__\\w+){1,${longestPath}}$` }
}

function documentFields(access: Access | undefined, form: 'documents' | 'images'): string[] {
  if (!access) return []
  const { object, hides } = access
  return object.documents
    .filter((field) => field.visible && !hides(field) && (form === 'documents' || field.type.name === 'image'))
    .map(({ name }) => name)
}

function readableNames(access: Access): string[] {
  return filterableFields(access).map(({ name }) => name)
}

function sortableNames(access: Access): string[] {
  return filterableFields(access)
    .filter(({ type }) => type.ordered)
    .map(({ name }) => name)
}

/** The filters of an object: one parameter per field, and bounds for what has an order. */
export function filterParameters(access: Access): ParameterDescription[] {
  return filterableFields(access).flatMap((field) => [filter(access, field), ...bounds(access, field)])
}

function filter({ object }: Access, field: ReadableField): ParameterDescription {
  return {
    name: field.name,
    in: 'query',
    required: false,
    text: `Filter on ${labelOf(field)}: ${filterText(field)}. Repeat it to match any of several values.`,
    schema: { type: 'array', items: { type: 'string' } },
    list: 'repeated',
    shared: `${object.name}.${field.name}`,
  }
}

function filterText(field: ReadableField): string {
  switch (field.type.name) {
    case 'integer':
    case 'decimal':
      return 'a number, an interval `from;to`, or an expression such as `> 5` or `in (1, 2)`'
    case 'date':
    case 'datetime':
    case 'time':
      return 'a value, an interval `from;to`, or an expression such as `>= 2024-01-31`; `[DATE:-3m]` is three months ago'
    case 'boolean':
      return '`true` or `false`'
    case 'enum':
    case 'multi-enum': {
      const codes = [...(baseField(field).codes?.keys() ?? [])].slice(0, 20)
      return `a code (${codes.map(code).join(', ')}${codes.length === 20 ? ' …' : ''}), or an expression such as \`<> 'a'\``
    }
    case 'object':
      return '`is null` or `is not null`'
    case 'id':
    case 'reference':
      return 'a row id, or an expression such as `in (1, 2)`'
    default:
      return "a value, `*` for any characters, or an expression such as `like 'a%'` or `is not null`"
  }
}

/** `nmin__f nmax__f` on numbers, `dmin__f dmax__f` on dates and times. */
function bounds({ object }: Access, field: ReadableField): ParameterDescription[] {
  const { kind } = field.columnType
  const letter =
    kind === 'integer' || kind === 'decimal'
      ? 'n'
      : kind === 'date' || kind === 'datetime' || kind === 'time'
        ? 'd'
        : ''
  if (letter === '') return []
  return (['min', 'max'] as const).map((side) => ({
    name: `${letter}${side}__${field.name}`,
    in: 'query',
    required: false,
    text: `${side === 'min' ? 'Least' : 'Greatest'} ${labelOf(field)}, inclusive.`,
    schema: { type: 'string' },
    shared: `${object.name}.${letter}${side}__${field.name}`,
  }))
}

function labelOf(field: ReadableField): string {
  return plainText(baseField(field).label)
}

const inPath: Readonly<Record<string, string>> = {
  row_id: 'Row id of the record.',
  field: 'Name of the field.',
  id: 'Id of the task.',
}

/** The parameters in the path of an operation, for what is in braces still. */
export function pathParameters(path: string, access: Access | undefined): ParameterDescription[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(name === 'key' && access
      ? keyForm(access)
      : {
          text: inPath[name] ?? '',
          schema: name === 'field' && access ? fieldNames(access, path) : { type: 'string', minLength: 1 },
        }),
  }))
}

/** Several values are an array, since clients encode the commas of a text. */
function keyForm(access: Access): Pick<ParameterDescription, 'text' | 'schema' | 'list'> {
  const { length } = access.object.key
  const text = keyText(access)
  if (length === 1) return { text, schema: { type: 'string', minLength: 1 } }
  return {
    text,
    schema: { type: 'array', items: { type: 'string' }, minItems: length, maxItems: length },
    list: 'commas',
  }
}

function keyText({ object }: Access): string {
  const names = object.key.map(({ name }) => code(name)).join(', ')
  return object.key.length === 1
    ? `Value of the functional key (${names}); a comma in it is \`%2C\`.`
    : `Values of the functional key (${names}) with commas between them; a comma in a value is \`%2C\`.`
}

function fieldNames(access: Access, path: string): Schema {
  return { type: 'string', enum: documentFields(access, path.includes('_thumbnail') ? 'images' : 'documents') }
}
