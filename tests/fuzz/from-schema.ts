import * as fc from 'fast-check'
import { anyCharacter } from './any-character.js'

/** A JSON Schema (2020-12) in an OpenAPI document. */
// oxlint-disable-next-line typescript/no-explicit-any -- a schema of any shape
export type Schema = any

/** Deeper schemas are filled with what fits nothing in particular. */
const deepest = 6

/** Texts that every database can keep, as the documentation asks for. */
const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, minLength, maxLength }).filter((value) => !value.includes('\0'))

export const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2, stringUnit: anyCharacter })
  .filter((value) => !JSON.stringify(value).includes(String.raw`\u0000`))

/** Values that fit a schema of a document. */
export function fromSchema(given: Schema, document: Schema, depth = 0): fc.Arbitrary<unknown> {
  if (depth > deepest) return anyJson
  const schema = resolve(given, document)
  const inner = (other: Schema): fc.Arbitrary<unknown> => fromSchema(other, document, depth + 1)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]))
  const { anyOf, allOf, ...rest } = schema
  if (anyOf) return fc.oneof(...(anyOf as Schema[]).map((each) => inner({ ...rest, ...resolve(each, document) })))
  if (allOf) return inner(Object.assign({}, rest, ...(allOf as Schema[])))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type: string) => inner({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return stringsOnce(schema)
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1e6, -1e9), max: Math.min(schema.maximum ?? 1e6, 1e9) })
    case 'number':
      return numbers(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(schema, inner)
    case 'object':
      return objects(schema, inner)
    default:
      return anyJson
  }
}

export function resolve(schema: Schema, document: Schema): Schema {
  if (!schema.$ref) return schema
  const found: Schema = schema.$ref
    .split('/')
    .slice(1)
    .reduce((node: Schema, name: string) => node[name], document)
  return resolve(found, document)
}

/** The smallest pictures, in base64. */
export const pictures = [
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
]

/** By the text of the schema: the same few are everywhere in a document, and each takes long to be prepared. */
const known = new Map<string, fc.Arbitrary<string>>()

function stringsOnce(schema: Schema): fc.Arbitrary<string> {
  const key = JSON.stringify(schema)
  const found = known.get(key) ?? strings(schema)
  known.set(key, found)
  return found
}

function strings({
  pattern,
  format,
  contentEncoding,
  contentMediaType,
  minLength = 0,
  maxLength = 40,
}: Schema): fc.Arbitrary<string> {
  const most = Math.min(maxLength, 40)
  const fits = (value: string): boolean =>
    [...value].length >= minLength &&
    [...value].length <= maxLength &&
    (!pattern || new RegExp(pattern, 'u').test(value))
  if (format === 'email') return fc.emailAddress({ size: 'small' }).filter(fits)
  if (format === 'uri') return fc.webUrl({ size: 'small' }).filter(fits)
  if (format === 'regex') return fc.constantFrom('a+', '^x$', '[a-z]*', String.raw`\d{2}`)
  if (pattern?.includes('\\p{')) return text(minLength, Math.min(maxLength, 40)).filter(fits)
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }).filter(fits)
  if (contentMediaType === 'image/*') return fc.constantFrom(...pictures)
  if (contentEncoding === 'base64')
    return fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  return text(Math.min(minLength, most), most)
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = Math.ceil(Math.max(schema.minimum ?? schema.exclusiveMinimum + 1, -1e6))
  const max = Math.floor(Math.min(schema.maximum ?? schema.exclusiveMaximum - 1, 1e6))
  const places = Math.min(schema['x-decimal-places'] ?? 0, 4)
  return fc
    .tuple(fc.integer({ min, max }), fc.nat({ max: 10 ** places - 1 }))
    .map(([whole, part]) =>
      whole < max ? Number(`${whole}.${String(part).padStart(Math.max(1, places), '0')}`) : whole,
    )
    .filter((value) => value >= min && value <= max)
}

function arrays(schema: Schema, inner: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const { items = {}, minItems: minLength = 0, uniqueItems } = schema
  const limits = { minLength, maxLength: Math.max(minLength, 4) }
  const one = inner(items)
  return uniqueItems ? fc.uniqueArray(one, limits) : fc.array(one, limits)
}

/** Some optional properties; seldom passwords, which take time to be kept. */
function objects(schema: Schema, inner: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const required = new Set<string>(schema.required)
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, each]) => {
    const value = inner(each)
    if (required.has(name)) return [name, value] as const
    const absent = each.writeOnly ? 60 : each.readOnly ? 12 : 1
    return [
      name,
      fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value }),
    ] as const
  })
  return fc.record(Object.fromEntries(members))
}
