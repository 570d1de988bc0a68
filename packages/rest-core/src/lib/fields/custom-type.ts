import type { BuiltInField, CustomField, CustomTypeName, FieldDefinition } from '../definition/definition.js'
import { nearMiss } from '../definition/near-miss.js'
import type { FieldModel } from '../model/model.js'
import { isEmpty, Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'

/** Built-in types whose values a type of the application can hold. */
export const customBases = [
  'string',
  'text',
  'url',
  'email',
  'phone',
  'html',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'time',
  'object',
] as const

export type CustomBase = (typeof customBases)[number]

/** What a type of the application learns about a field. */
export interface CustomFieldContext {
  readonly name: string
  readonly label: string
  readonly required: boolean
  /** As the definition says them. */
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * A field type of an application or of a package: a built-in type with rules of its own. Columns, filters, sorting, pages
 * and metadata are those of the built-in type. `testFieldType` of `@steward/rest-core/testing` is its suite.
 *
 * @example
 * const iban: CustomFieldType = {
 *   name: 'x-iban',
 *   summary: 'international bank account number',
 *   base: 'string',
 *   defaults: { length: 34 },
 *   normalize: (value) => String(value).replaceAll(' ', '').toUpperCase(),
 *   check: (value) => (isIban(String(value)) ? undefined : 'must be an IBAN such as DE89370400440532013000'),
 * }
 */
export interface CustomFieldType {
  /** As definitions name it: `x-` and lower-case letters, digits and `-`. */
  readonly name: CustomTypeName
  /** What a field holds, for the documentation of the service: completes "Holds an …". */
  readonly summary: string
  /** The built-in type whose values it holds. */
  readonly base: CustomBase
  /** Used where a definition does not say them. */
  readonly defaults?: Pick<CustomField, 'length' | 'pattern' | 'min' | 'max' | 'precision' | 'scale' | 'help'>
  /** Brings a value that is not empty into the form in which it is stored and compared. Doing it twice changes nothing. */
  normalize?(value: FieldValue, field: CustomFieldContext): FieldValue
  /** Why a value that is not empty is refused: completes `Field "x" `, e.g. `must be an even number, not 3`. */
  check?(value: FieldValue, field: CustomFieldContext): string | undefined
  /** The value as text for people. Default: as the built-in type does. */
  format?(value: FieldValue, field: CustomFieldContext): string
  /** JSON Schema (2020-12) that a value fits that is not empty, besides that of the built-in type. */
  jsonSchema?(field: CustomFieldContext): Readonly<Record<string, unknown>>
  /** Mistakes in `options` of a definition. Default: there are no options. */
  checkOptions?(options: Readonly<Record<string, unknown>>): readonly string[]
}

export type CustomTypes = ReadonlyMap<string, CustomFieldType>

/** The types by name; mistakes in themselves are added to `problems`. */
export function customTypesOf(types: readonly CustomFieldType[], problems: string[]): CustomTypes {
  const byName = new Map<string, CustomFieldType>()
  for (const type of types) {
    const { name, base, summary } = type
    const place = `field type ${JSON.stringify(name)}`
    if (typeof name !== 'string' || !/^x-[a-z][a-z0-9-]{0,60}$/.test(name))
      problems.push(`${place}: its name must be "x-" and lower-case letters, digits and "-"`)
    if (!customBases.includes(base))
      problems.push(`${place}: base must be one of ${customBases.join(', ')}, not ${JSON.stringify(base)}`)
    if (typeof summary !== 'string' || summary === '') problems.push(`${place}: needs "summary"`)
    if (byName.has(name)) problems.push(`${place}: it is registered twice`)
    byName.set(name, type)
  }
  return byName
}

/** What is wrong with a field of a type of the application. */
export function checkCustomField(field: CustomField, types: CustomTypes): string[] {
  const type = types.get(field.type)
  if (!type) {
    const meant = nearMiss(field.type, [...types.keys()])
    const known = types.size === 0 ? 'none is registered' : `registered are ${[...types.keys()].join(', ')}`
    return [`there is no field type "${field.type}"; ${meant === undefined ? known : `did you mean "${meant}"?`}`]
  }
  const { options = {} } = field
  if (type.checkOptions) return type.checkOptions(options).map((text) => `options: ${text}`)
  const [option] = Object.keys(options)
  return option === undefined ? [] : [`options: "${option}" is not known; ${field.type} has none`]
}

export function isCustom(field: FieldDefinition): field is CustomField {
  return field.type.startsWith('x-')
}

/** The field as one of its built-in type. */
export function asBuiltIn(field: FieldDefinition, types: CustomTypes): BuiltInField {
  if (!isCustom(field)) return field
  const { base, defaults } = types.get(field.type) as CustomFieldType
  const { options: _, ...said } = field
  return { ...defaults, ...said, type: base }
}

/** The built-in type with the rules of one of the application. */
export function customised(base: FieldType, custom: CustomFieldType, { options = {} }: CustomField): FieldType {
  const contextOf = ({ name, label, required }: FieldModel): CustomFieldContext => ({ name, label, required, options })
  return {
    ...base,
    custom: { name: custom.name, summary: custom.summary },
    parse(input, field) {
      const value = base.parse(input, field)
      if (value instanceof Problem || isEmpty(value) || !custom.normalize) return value
      return custom.normalize(value, contextOf(field))
    },
    validate(value, field) {
      const problem = base.validate(value, field)
      if (problem || !custom.check) return problem
      const text = custom.check(value, contextOf(field))
      return text === undefined ? undefined : new Problem('ERR_PATTERN', text)
    },
    format: (value, field) =>
      custom.format && !isEmpty(value) ? custom.format(value, contextOf(field)) : base.format(value, field),
    jsonSchema(field) {
      const schema = base.jsonSchema(field)
      const own = custom.jsonSchema?.(contextOf(field))
      if (own === undefined) return schema
      const { allOf = [] } = schema as { readonly allOf?: readonly object[] }
      return { ...schema, allOf: [...allOf, field.required ? own : { anyOf: [{ const: base.empty }, own] }] }
    },
  }
}
