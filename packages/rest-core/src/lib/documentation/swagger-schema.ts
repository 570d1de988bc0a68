import type { Schema } from './description.js'

/** Keywords of JSON Schema that Swagger 2.0 has too. */
const known: ReadonlySet<string> = new Set([
  'title',
  'description',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'enum',
  'required',
  'readOnly',
])

/**
 * A schema as Swagger 2.0 can say it: looser where it has no words. Alternatives become anything, `null` is the extension
 * `x-nullable`.
 */
export function toSwaggerSchema(schema: Schema): Schema {
  if (typeof schema['$ref'] === 'string') return { $ref: definition(schema['$ref']) }
  const { properties, items, additionalProperties, exclusiveMinimum, exclusiveMaximum } = schema
  const type = schema['type'] ?? commonType(schema)
  const types = [type ?? []].flat().filter((each) => each !== 'null')
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => known.has(name) || name.startsWith('x-'))),
    ...('const' in schema && { enum: [schema['const']] }),
    ...(types.length === 1 && { type: types[0] }),
    ...(Array.isArray(type) && type.includes('null') && { 'x-nullable': true }),
    ...(typeof exclusiveMinimum === 'number' && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(typeof exclusiveMaximum === 'number' && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
    ...(properties !== undefined && { properties: mapValues(properties as Record<string, Schema>, toSwaggerSchema) }),
    ...(types.includes('array') && { items: toSwaggerSchema((items ?? {}) as Schema) }),
    ...(typeof additionalProperties === 'boolean' && !schema['patternProperties'] && { additionalProperties }),
  }
}

/** The type that all alternatives have. */
function commonType({ anyOf }: Schema): unknown {
  const [first, ...others] = new Set(((anyOf ?? []) as readonly Schema[]).map(({ type }) => type))
  return others.length === 0 && typeof first === 'string' ? first : undefined
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

function definition(reference: string): string {
  return reference.replace('#/components/schemas/', '#/definitions/')
}
