// What a reading thread needs of decimals as text (see `decimal.ts`). It imports nothing, so that Node can run it from source.

/** The number as text; `undefined` when the text was not made by `encodeDecimal`. */
export function decodeDecimal(text: string): string | undefined {
  const match = /^(?:p\d\d:([\d.]+)|n\d\d:([\d.]+)~)$/.exec(text)
  if (!match) return undefined
  return match[1] ?? `-${complement(match[2] as string)}`
}

export function complement(number: string): string {
  return number.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))
}

/** Name of the SQL function that `decimalSum` is. */
export const decimalSumName = 'steward_decimal_sum'

/** No decimal has more digits after the point. */
const mostScale = 38

/** An aggregate for better-sqlite3: the exact sum of decimals as text, without losing digits; NULL where there are none. */
export const decimalSum = {
  start: null,
  step(sum: bigint | null, encoded: unknown): bigint | null {
    const text = typeof encoded === 'string' ? decodeDecimal(encoded) : undefined
    if (text === undefined) return sum
    const [whole = '', fraction = ''] = text.split('.')
    const units = BigInt(whole + fraction.padEnd(mostScale, '0'))
    return sum === null ? units : sum + units
  },
  result(sum: bigint | null): string | null {
    if (sum === null) return null
    const digits = String(sum < 0n ? -sum : sum).padStart(mostScale + 1, '0')
    return `${sum < 0n ? '-' : ''}${digits.slice(0, -mostScale)}.${digits.slice(-mostScale)}`
  },
}
