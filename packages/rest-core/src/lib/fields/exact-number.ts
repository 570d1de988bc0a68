import { digitsText, readDigits } from './number-text.js'

/** A decimal number for exact arithmetic: `units` × 10^-`scale`. */
export interface ExactNumber {
  readonly units: bigint
  readonly scale: number
}

/** @throws TypeError for what is not a number in decimal notation. */
export function exactNumber(value: number | string): ExactNumber {
  const digits = readDigits(String(value))
  if (!digits) throw new TypeError(`${JSON.stringify(value)} is not a number.`)
  const units = BigInt(digits.whole + digits.fraction)
  return { units: digits.negative ? -units : units, scale: digits.fraction.length }
}

export function add(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a.scale === b.scale) return { units: a.units + b.units, scale: a.scale }
  const scale = Math.max(a.scale, b.scale)
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale }
}

/** The quotient with `scale` digits after the point, rounded half up (halves away from zero). */
export function divide(number: ExactNumber, by: bigint, scale: number): ExactNumber {
  const shift = Math.max(0, number.scale - scale)
  const dividend = unitsAt(number, Math.max(number.scale, scale))
  const divisor = by * 10n ** BigInt(shift)
  const doubled = (dividend < 0n ? -dividend : dividend) * 2n
  const rounded = (doubled + divisor) / (divisor * 2n)
  return { units: dividend < 0n ? -rounded : rounded, scale }
}

/** The shortest exact text: no exponent, no superfluous zeros. */
export function exactText({ units, scale }: ExactNumber): string {
  const negative = units < 0n
  const digits = String(negative ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  const read = readDigits(`${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`)
  return read ? digitsText(read) : '0'
}

function unitsAt({ units, scale }: ExactNumber, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale)
}
