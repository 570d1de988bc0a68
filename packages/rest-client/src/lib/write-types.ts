import type { AnyRecord } from './types.js'

/** What is read of the metadata of a field. */
interface FieldMetadata {
  /** Name in records. */
  readonly input: string
  readonly label?: string
  readonly type: number
  readonly required?: boolean
  readonly updatable?: boolean
  readonly listOfValues?: readonly { readonly code: string }[]
}

/** Type numbers of metadata whose values are no texts. Source: docs/spec/wire-decisions.md, "metadata". */
const typeOf: Readonly<Record<number, string>> = {
  1: 'number | string | null',
  2: 'number | string | null',
  8: 'boolean',
  24: 'unknown',
  26: 'number | string | null',
}
const enumType = 7
const multiEnumType = 14
const passwordType = 9
const documentTypes: readonly number[] = [17, 20]
const newDocument = '{ readonly name: string; readonly mime?: string; readonly content: string }'

/** The metadata of an object, and what its fields are in a creation and an update. */
export interface KnownObject {
  readonly object: AnyRecord
  readonly create: AnyRecord
  readonly update: AnyRecord
}

/**
 * A TypeScript module with an interface per object and `Records`, which maps their names to them and to what else is known
 * (`ObjectTypes`).
 */
export function writeTypes(known: readonly KnownObject[]): string {
  const interfaces = known.map(({ object }) => writeInterface(object))
  const entries = known.map(writeEntry).join('')
  return `// Written by "rest-client types" from the metadata of the service.\n\n${interfaces.join('\n')}\nexport interface Records {\n${entries}}\n`
}

function writeEntry({ object, create, update }: KnownObject): string {
  const { name, actions = [], crosstabs = [], publications = [] } = object
  const record = typeName(name)
  const parameters = (actions as readonly AnyRecord[]).map(
    (action) => `        ${key(action['name'])}: ${inputType(action['parameters'], 8)}\n`,
  )
  return [
    `  ${name}: ${record} & {\n    readonly '~types'?: {\n`,
    `      readonly record: ${record}\n`,
    `      readonly create: ${inputType(create['fields'], 6)}\n`,
    `      readonly update: ${inputType(update['fields'], 6, true)}\n`,
    `      readonly actions: {${parameters.length > 0 ? `\n${parameters.join('')}      ` : ''}}\n`,
    `      readonly crosstabs: ${namesOf(crosstabs)}\n`,
    `      readonly publications: ${namesOf(publications)}\n`,
    '    }\n  }\n',
  ].join('')
}

/** What may be given of fields: those that are required must be, but in an update. */
function inputType(fields: readonly FieldMetadata[], indent: number, isUpdate = false): string {
  const given = fields.filter(({ updatable }) => updatable)
  if (given.length === 0) return '{}'
  const members = given.map((field) => {
    const isNeeded = field.required && !isUpdate
    return `${' '.repeat(indent + 2)}${key(field.input)}${isNeeded ? '' : '?'}: ${inputValue(field)}\n`
  })
  return `{\n${members.join('')}${' '.repeat(indent)}}`
}

function inputValue(field: FieldMetadata): string {
  const type = valueType(field)
  const others = [...(documentTypes.includes(field.type) ? [newDocument] : []), ...(nullable(type) ? ['null'] : [])]
  return [type, ...others].join(' | ')
}

function nullable(type: string): boolean {
  return type !== 'unknown' && type !== 'boolean' && !/\bnull$/.test(type)
}

function namesOf(named: readonly AnyRecord[]): string {
  return named.map(({ name }) => JSON.stringify(name)).join(' | ') || 'never'
}

/** Names of actions may have a `-`. */
function key(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name)
}

function writeInterface({ name, label, fields }: AnyRecord): string {
  const own = (fields as readonly FieldMetadata[]).filter(
    ({ type, input }) => type !== passwordType && input !== 'row_id',
  )
  const lines = own.map((field) => `${comment(field.label, field.input)}  ${field.input}: ${valueType(field)}\n`)
  return `${comment(label, name).trimStart()}export interface ${typeName(name)} {\n  row_id: string\n${lines.join('')}}\n`
}

function valueType({ type, listOfValues }: FieldMetadata): string {
  const codes = listOfValues?.map(({ code }) => JSON.stringify(code)).join(' | ') || 'string'
  if (type === enumType) return `${codes} | ''`
  if (type === multiEnumType) return `(${codes})[]`
  return typeOf[type] ?? 'string'
}

function typeName(object: string): string {
  return object.charAt(0).toUpperCase() + object.slice(1)
}

function comment(label: string | undefined, name: string): string {
  return label && label !== name ? `  /** ${label.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : ''
}
