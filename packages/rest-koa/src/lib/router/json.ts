import { RestError } from '@steward/rest-core/errors'
import { jsonErrorPosition } from './json-position.js'

/** Not specified; chosen far above any sensible value of a field, and far below what makes serializing fail. */
const deepest = 100

/**
 * Values in objects and lists, all levels together. Not specified; chosen above 10,000 records of a batch with 40 fields
 * each, and below what keeps a server busy for a second.
 */
const mostValues = 500_000

/** Only numbers that match it may be more than a double holds. */
const perhapsLong = /[\d.]{16}|[eE][+-]?\d{3}/

/**
 * Parses a request body. Numbers on its first level that a double cannot hold come as strings of their digits, so that
 * the field's type can keep or refuse them; `JSON.parse` would round them. Deeper ones are refused.
 *
 * @throws RestError ERR_BAD_REQUEST, with the position of the mistake but without the text around it, which may be secret.
 */
export function parseJson(text: string): unknown {
  if (text.length > deepest) checkShape(text)
  try {
    return perhapsLong.test(text) ? parseWithLongNumbers(text) : JSON.parse(text)
  } catch (error) {
    throw RestError.is(error) ? error : malformed(text)
  }
}

function malformed(text: string): RestError {
  if (text.trim() === '') return new RestError('ERR_BAD_REQUEST', 'The body is empty, JSON was announced.')
  const position = jsonErrorPosition(text) ?? 0
  const line = countLines(text, position)
  const column = position - text.lastIndexOf('\n', position - 1)
  return position >= text.length
    ? new RestError('ERR_BAD_REQUEST', `The body is truncated JSON: it ends at line ${line}, column ${column}.`)
    : new RestError('ERR_BAD_REQUEST', `The body is not valid JSON: see line ${line}, column ${column}.`)
}

function parseWithLongNumbers(text: string): unknown {
  const long: { holder: unknown; key: string; source: string }[] = []
  const value: unknown = JSON.parse(
    text,
    function (this: unknown, key: string, value: unknown, ...[context]: { source?: string }[]) {
      if (typeof value === 'number' && context?.source !== undefined && !isExact(value, context.source)) {
        long.push({ holder: this, key, source: context.source })
      }
      return value
    },
  )
  for (const { holder, key, source } of long) {
    if (holder !== value) throw tooLong(source)
    ;(value as Record<string, unknown>)[key] = source
  }
  return value
}

function tooLong(source: string): RestError {
  const text = source.length > 40 ? `${source.slice(0, 40)}…` : source
  return new RestError('ERR_BAD_REQUEST', `The number ${text} inside a value would lose digits; send it as a string.`)
}

/** Every decimal of up to 15 significant digits survives a double. */
function isExact(value: number, source: string): boolean {
  if (String(value) === source) return true
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === '')
}

function countLines(text: string, end: number): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Counts brackets and commas outside strings, before anything is built. @throws RestError ERR_BAD_REQUEST, ERR_TOO_LARGE */
function checkShape(text: string): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepest)
          throw new RestError('ERR_BAD_REQUEST', `The body is nested deeper than ${deepest} levels.`)
        values++
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      case 0x2c: // ,
        values++
        break
      case 0x22: // "
        at = endOfString(text, at)
    }
    if (values > mostValues)
      throw new RestError('ERR_TOO_LARGE', `The body has more than ${mostValues} values; send it in parts.`)
  }
}

/** The offset of the closing quote, or of the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return at
  }
}
