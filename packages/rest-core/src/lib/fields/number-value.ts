import { Problem } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { compareNumbers, digitsText, readDigits } from './number-text.js'

/** Checks the range of a definition. */
export function checkRange(
  value: FieldValue,
  range: { readonly min?: number; readonly max?: number },
): Problem | undefined {
  const number = value as number | string
  if (range.min !== undefined && compareNumbers(number, range.min) < 0) {
    return new Problem('ERR_TYPE', `must be at least ${range.min}, not ${number}`)
  }
  if (range.max !== undefined && compareNumbers(number, range.max) > 0) {
    return new Problem('ERR_TYPE', `must be at most ${range.max}, not ${number}`)
  }
  return undefined
}

/** A JSON number that JavaScript could not read exactly. */
export function lostDigits(input: number): Problem {
  return new Problem('ERR_TYPE', `must be exact; ${input} is a number that may have lost digits, send it as a string`)
}

/** The number without an exponent; what databases hold beyond numbers as it is. Empty: empty. */
export function formatNumber(value: FieldValue): string {
  if (value === null) return ''
  const text = String(value)
  const digits = readDigits(text)
  return digits ? digitsText(digits) : text
}
