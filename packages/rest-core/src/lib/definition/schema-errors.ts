import type { ErrorObject } from 'ajv/dist/2020.js'
import { nearMiss } from './near-miss.js'

/** One mistake in a definition file, for people. */
export interface SchemaMistake {
  /** Keys and indexes that lead to it. */
  readonly path: readonly string[]
  /** It is about the last key itself, not about its value. */
  readonly atKey: boolean
  /** Completes the path, e.g. `must be text`. */
  readonly text: string
}

/** What ajv found, without the messages that only repeat others. Needs ajv's `allErrors` and `verbose`. */
export function readSchemaErrors(errors: readonly ErrorObject[]): SchemaMistake[] {
  return errors.flatMap((error) => {
    // `if` only says that its `then` failed; the reason why a property name failed is in the `propertyNames` error.
    if (error.keyword === 'if' || error.propertyName !== undefined) return []
    const key = keyOf(error)
    const path = error.instancePath.split('/').slice(1).map(unescapePointer)
    return [{ path: key === undefined ? path : [...path, key], atKey: key !== undefined, text: textOf(error) }]
  })
}

function keyOf({ params }: ErrorObject): string | undefined {
  return (params['additionalProperty'] ?? params['propertyName']) as string | undefined
}

function textOf({ keyword, params, data, schema, parentSchema, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'enum': {
      const known = withoutDoubles(schema as (string | number)[])
      return `must be one of ${known.join(', ')}, not ${shown(data)}${hint(data, known)}`
    }
    case 'type':
      return `must be ${[schema as string | string[]].flat().map(nameOf).join(' or ')}, not ${shown(data)}${quoteAdvice(schema, data)}`
    case 'required':
      return `needs "${params['missingProperty']}"`
    case 'additionalProperties': {
      const key = params['additionalProperty'] as string
      const known = Object.keys((parentSchema as { properties: object }).properties)
      return isCode(key, known) ? codeAdvice : unknown(key, known)
    }
    case 'propertyNames': {
      const { enum: known, description } = schema as { enum?: string[]; description?: string }
      return known ? unknown(params['propertyName'] as string, known) : `is not a good name: ${description}`
    }
    case 'pattern':
      return `must match ${schema as string}, not ${shown(data)}`
    case 'minimum':
      return `must be at least ${schema as number}, not ${shown(data)}`
    case 'maximum':
      return `must be at most ${schema as number}, not ${shown(data)}`
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'must not be empty'
    default:
      return message
  }
}

/** A number that also stands in the list as a text is reported once: 5.1 beside "5.1". */
function withoutDoubles(values: readonly (string | number)[]): string[] {
  const texts = values.filter((value) => typeof value === 'string')
  return values
    .filter((value) => typeof value === 'string' || !texts.some((text) => Number(text) === value))
    .map(String)
}

const codeAdvice =
  'is code; put it into a module of the same name beside this file (ticket.ts of ticket.yaml): export default defineCode({ … })'

/** The other keys of code may be data, too, so only objects know them. */
function isCode(key: string, known: readonly string[]): boolean {
  return ['actions', 'hooks'].includes(key) && known.includes('states')
}

function unknown(key: string, known: readonly string[]): string {
  const meant = hint(key, known)
  return `is not known here${meant === '' ? `; known are ${known.filter((name) => !name.startsWith('$')).join(', ')}` : meant}`
}

function hint(given: unknown, known: readonly string[]): string {
  const meant = typeof given === 'string' ? nearMiss(given, known) : undefined
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

function quoteAdvice(schema: unknown, data: unknown): string {
  const wantsText = [schema].flat().includes('string')
  return wantsText && (typeof data === 'number' || typeof data === 'boolean')
    ? `; put it in quotes: "${String(data)}"`
    : ''
}

const names: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of names to values',
}

function nameOf(type: string): string {
  return names[type] ?? type
}

function shown(data: unknown): string {
  if (Array.isArray(data)) return 'a list'
  if (typeof data === 'object' && data !== null) return 'a map'
  if (data === null) return 'nothing'
  const text = JSON.stringify(data)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
