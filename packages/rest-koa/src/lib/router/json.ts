import { isExact } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import { jsonErrorPosition } from './json-position.js'

/** Not specified; chosen far above any sensible value of a field, and far below what makes serializing fail. */
const deepest = 100

/**
 * Values in objects and lists, all levels together. Not specified; chosen above 10,000 records of a batch with 40 fields
 * each, and below what keeps a server busy for a second.
 */
const mostValues = 500_000

/** Numbers that a double cannot hold. Not specified; chosen far above the fields of an object. */
const mostLongNumbers = 10_000

/** Only numbers that match it may be more than a double holds. */
const perhapsLong = /[\d.]{16}|[eE][+-]?\d{3}/

/**
 * Parses a request body. Numbers on its first level that a double cannot hold come as strings of their digits, so that
 * the field's type can keep or refuse them; `JSON.parse` would round them. Deeper ones are refused.
 *
 * @throws RestError ERR_TOO_LARGE; ERR_BAD_REQUEST, with the position of the mistake but without the text around it, which may be secret.
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

/** Texts of long numbers are quoted before the text is parsed: a function that is called for each value takes ten times as long. */
function parseWithLongNumbers(text: string): unknown {
  const { quoted, inside } = quoteLongNumbers(text)
  const value: unknown = JSON.parse(quoted)
  if (inside !== undefined) throw tooLong(inside)
  return value
}

/** @returns the text with long numbers of the first level as strings, and the first long number that is elsewhere */
function quoteLongNumbers(text: string): { readonly quoted: string; readonly inside: string | undefined } {
  const parts: string[] = []
  let depth = 0
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === 0x5b || code === 0x7b) depth++
    else if (code === 0x5d || code === 0x7d) depth--
    else if (isDigit(code)) {
      const start = text.charCodeAt(at - 1) === minus ? at - 1 : at
      while (isOfNumber(text.charCodeAt(at + 1))) at++
      if (at - start < shortest) continue
      const source = text.slice(start, at + 1)
      if (!perhapsLong.test(source) || isExact(Number(source), source)) continue
      if (depth !== 1) return { quoted: text, inside: source }
      parts.push(text.slice(copied, start), source)
      if (parts.length > 2 * mostLongNumbers)
        throw new RestError(
          'ERR_TOO_LARGE',
          `The body has more than ${mostLongNumbers} numbers that would lose digits; send them as strings.`,
        )
      copied = at + 1
    }
  }
  if (parts.length === 0) return { quoted: text, inside: undefined }
  parts.push(text.slice(copied))
  return { quoted: parts.join('"'), inside: undefined }
}

const quote = 0x22
const minus = 0x2d
/** Digits of the shortest number that may be long, such as 1e999, less one. */
const shortest = 4

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Digits, and `.`, `e`, `E`, `+`, `-`. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === minus
}

function tooLong(source: string): RestError {
  const text = source.length > 40 ? `${source.slice(0, 40)}…` : source
  return new RestError('ERR_BAD_REQUEST', `The number ${text} inside a value would lose digits; send it as a string.`)
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
