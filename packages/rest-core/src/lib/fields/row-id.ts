import type { IdField } from '../definition/definition.js'
import { describe } from './describe.js'
import { Problem } from './field-type.js'
import { checkLength, parseText } from './text-value.js'

/** The largest integer without a sign, which MySQL has. */
const largest = 2n ** 64n - 1n
const smallest = -(2n ** 63n)
const mostCharacters = 255
const plain = /^[1-9]\d{0,17}$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** How ids are written, in definitions. */
export type IdValues = NonNullable<IdField['values']>

/**
 * Reads a row id in its one form, a string; `""` when no row is meant (`null`, `""`, and `0` where ids are integers that
 * Steward has given: a table that others made may have a row 0).
 * Integer ids are decimal digits within 64 bits; string ids are any text of up to 255 characters; UUIDs are in lower case.
 */
export function parseRowId(input: unknown, values: IdValues, hasZero = false): string | Problem {
  if (values === 'integer') return hasZero && (input === '0' || input === 0) ? '0' : parseIntegerId(input, hasZero)
  const text = parseText(input)
  if (text instanceof Problem) return text
  if (values === 'uuid') return parseUuid(text)
  return checkLength(text, mostCharacters) ?? text
}

function parseUuid(text: string): string | Problem {
  const id = text.trim().toLowerCase()
  return id === '' || uuid.test(id) ? id : new Problem('ERR_TYPE', `must be a UUID, not ${describe(text)}`)
}

/** What the columns of these ids hold. */
export function columnValues(values: IdValues): 'integer' | 'string' {
  return values === 'integer' ? 'integer' : 'string'
}

function parseIntegerId(input: unknown, hasZero: boolean): string | Problem {
  if (typeof input === 'string' && plain.test(input)) return input
  if (input === null || input === undefined || input === '' || input === '0') return ''
  if (typeof input === 'number' && Number.isInteger(input) && !Number.isSafeInteger(input)) {
    return new Problem('ERR_TYPE', `must be exact; ${input} is a number that has lost digits, send it as a string`)
  }
  const text = typeof input === 'string' || typeof input === 'number' ? String(input).trim() : 'none'
  if (text === '') return ''
  if (!/^[+-]?\d{1,40}$/.test(text)) return notAnId(input)
  const id = BigInt(text.replace('+', ''))
  if (id < smallest || id > largest) return notAnId(input)
  return id === 0n && !hasZero ? '' : id.toString()
}

function notAnId(input: unknown): Problem {
  return new Problem('ERR_TYPE', `must be a row id (a whole number of up to 64 bits), not ${describe(input)}`)
}
