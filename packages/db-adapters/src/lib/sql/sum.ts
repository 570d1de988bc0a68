import { digitsText, readDigits } from '@steward/rest-core'
import type { Present } from './dialect.js'

/** The digits of a sum in the form in which a driver gives it; `null` for what is not a number, e.g. NaN in an existing table. */
export function readSum(value: Present): string | null {
  const digits = readDigits(String(value))
  return digits ? digitsText(digits) : null
}
