import type { JsonField } from '../definition/definition.js'
import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import type { JsonValue } from './field-value.js'
import { defaultLongLength, unstorable } from './text-value.js'

/** Levels of arrays and objects within each other. */
const deepestObject = 64

/** Members and items of a value, all levels together. Not specified; chosen because each is worked at several times on the way. */
const mostParts = 50_000

/** Any JSON value; `""` is empty and becomes `null`. The value is kept, never merged into another object. */
export const objectType: FieldType = {
  name: 'object',
  number: 24,
  empty: null,
  like: false,
  ordered: false,
  parse(input, { definition }) {
    if (input === undefined) return null
    const problem = check(input, 0, { left: mostParts })
    if (problem) return problem
    const isMissing = input === null || input === ''
    if ((definition as JsonField).array && !isMissing && !Array.isArray(input))
      return new Problem('ERR_TYPE', `must be a list, not ${describe(input)}`)
    return isMissing ? null : (input as JsonValue)
  },
  validate(value, { definition }) {
    const { length = defaultLongLength } = definition as JsonField
    return JSON.stringify(value).length <= length
      ? undefined
      : new Problem('ERR_LENGTH', `must have at most ${length} characters as JSON`)
  },
  format: (value) => JSON.stringify(value),
  column: ({ definition }) => ((definition as JsonField).array ? { kind: 'json', array: true } : { kind: 'json' }),
  jsonSchema: ({ definition }) => ((definition as JsonField).array ? { type: ['array', 'null'] } : {}),
}

function check(value: unknown, depth: number, parts: { left: number }): Problem | undefined {
  if (typeof value === 'string') return unstorable(value)
  if (value === null || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : notJson(value)
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlain(value))) return notJson(value)
  if (depth === deepestObject) return new Problem('ERR_TYPE', `must not be nested deeper than ${deepestObject} levels`)
  const keys = Object.keys(value)
  parts.left -= keys.length
  if (parts.left < 0) return new Problem('ERR_LENGTH', `must have at most ${mostParts} members and items in all`)
  for (const key of keys) {
    const problem = unstorable(key) ?? check((value as Record<string, unknown>)[key], depth + 1, parts)
    if (problem) return problem
  }
  return undefined
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function notJson(value: unknown): Problem {
  return new Problem(
    'ERR_TYPE',
    `must be a JSON value, not ${typeof value === 'object' ? 'an instance of a class' : describe(value)}`,
  )
}
