import type { JsonValue } from './field-value.js'

/**
 * JSON whose numbers keep their digits. One that a double would round is a text of its digits in values, as in fields for
 * numbers; which texts stand for numbers is known by the objects and lists that they are in, and written back as numbers.
 */
const numbersIn = new WeakMap<object, Map<string, string>>()

/** Only numbers that match it may be more than a double holds. */
const perhapsLong = /[\d.]{16}|[eE][+-]?\d{3}/

/** Node.js has it; the types of TypeScript do not yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** Parses JSON; a number that a double would round is a text of its digits. @throws SyntaxError for what is not JSON */
export function readJsonText(text: string): JsonValue {
  return JSON.parse(text, perhapsLong.test(text) ? (revive as (key: string, value: unknown) => unknown) : undefined)
}

/** Takes a value as `readJsonText` gives it, or as it was sent. */
export function jsonText(value: JsonValue): string {
  return typeof value === 'object' && value !== null && numbersIn.has(value)
    ? JSON.stringify(value, function (this: object, key: string, item: unknown) {
        return typeof item === 'string' && numbersIn.get(this)?.get(key) === item ? rawJSON(item) : item
      })
    : JSON.stringify(value)
}

/** Texts of `value` that stand for numbers in `stored`, at their place or moved to another, are numbers from now on. */
export function keepNumbers(value: JsonValue, stored: JsonValue): void {
  if (!isContainer(value) || !isContainer(stored) || !numbersIn.has(stored)) return
  const numbers = new Set<string>()
  const texts = new Set<string>()
  collect(stored)
  keep(value, stored)

  function collect(container: object): void {
    for (const [key, item] of Object.entries(container)) {
      if (isContainer(item)) collect(item)
      else if (typeof item === 'string') (numbersIn.get(container)?.get(key) === item ? numbers : texts).add(item)
    }
  }

  function keep(container: object, twin: object | undefined): boolean {
    let found = false
    for (const [key, item] of Object.entries(container)) {
      const beside: unknown = twin && Object.hasOwn(twin, key) ? (twin as Record<string, unknown>)[key] : undefined
      if (isContainer(item)) {
        if (keep(item, isContainer(beside) ? beside : undefined)) found = true
      } else if (typeof item === 'string' && numbers.has(item)) {
        const isNumber = twin && beside === item ? numbersIn.get(twin)?.get(key) === item : !texts.has(item)
        if (isNumber) {
          mark(container).set(key, item)
          found = true
        }
      }
    }
    if (found) mark(container)
    return found
  }
}

/** Whether a text in it may stand for a number. */
export function mayHoldNumbers(value: unknown): boolean {
  if (typeof value === 'string') return longNumber.test(value)
  return isContainer(value) && Object.values(value).some(mayHoldNumbers)
}

const longNumber = /^-?[\d.]{16,}(?:[eE][+-]?\d+)?$|^-?[\d.]+[eE][+-]?\d{3,}$/

/** Whether a double holds a number as it is written: every decimal of up to 15 significant digits survives one. */
export function isExact(value: number, source: string): boolean {
  if (String(value) === source) return true
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || /^0*$/.test(digits))
}

/** Containers come after what is in them. */
function revive(this: object, key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  if (typeof value === 'number' && !isExact(value, source)) {
    mark(this).set(key, source)
    return source
  }
  if (typeof value === 'object' && value !== null && numbersIn.has(value)) mark(this)
  return value
}

function mark(container: object): Map<string, string> {
  const known = numbersIn.get(container)
  if (known) return known
  const numbers = new Map<string, string>()
  numbersIn.set(container, numbers)
  return numbers
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
