import { readDigits } from '@steward/rest-core'
import { complement } from './decimal-text.js'

export { decodeDecimal } from './decimal-text.js'

/**
 * Decimals of more than 15 digits as text that sorts and compares like the numbers: sign, length of the whole part,
 * digits. `12.5` is `p02:12.5`; of negative numbers the complement is written, so `-12.5` is `n97:87.4~`.
 * Independent of precision and scale, so that a column can grow.
 */
export function encodeDecimal(value: number | string): string | undefined {
  const digits = readDigits(String(value))
  if (!digits || digits.whole.length > 99) return undefined
  const number = digits.fraction === '' ? digits.whole : `${digits.whole}.${digits.fraction}`
  const length = digits.negative ? 99 - digits.whole.length : digits.whole.length
  const start = String(length).padStart(2, '0')
  // `~` comes after every digit and the point: of two negative numbers the one with more digits after them is less.
  return digits.negative ? `n${start}:${complement(number)}~` : `p${start}:${number}`
}
