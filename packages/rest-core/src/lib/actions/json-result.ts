import type { JsonValue } from '../fields/field-value.js'

/** Deeper ones are mistakes, cycles mostly. */
const deepest = 100

/**
 * A copy of what an action returned, as JSON shows it; nothing returned is `null`, and properties without a value are left out.
 *
 * @throws TypeError naming the place of what is no JSON value: a function, a Date, a Map, NaN, a cycle …
 */
export function jsonResult(value: unknown, place = 'result', depth = 0): JsonValue {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw new TypeError(`${place} is ${describe(value)}`)
  if (depth === deepest) throw new TypeError(`${place} is nested too deeply, or contains itself`)
  if (Array.isArray(value)) return value.map((item, at) => jsonResult(item, `${place}[${at}]`, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError(`${place} is ${describe(value)}`)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, jsonResult(item, `${place}.${name}`, depth + 1)]),
  )
}

function describe(value: unknown): string {
  if (typeof value === 'object') return `a ${value?.constructor?.name ?? 'object'}`
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
