import type { IntegerField } from '../definition/definition.js'
import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { digitsText, integerValue, readDigits } from './number-text.js'
import { checkRange, formatNumber, lostDigits } from './number-value.js'

const defaultPrecision = 15
const digitsOnly = /^\d{1,15}$/

/** What the precisions 19 and 20 take: integers of 64 bits with and without a sign. */
const wide: Readonly<Record<number, { readonly min: bigint; readonly max: bigint }>> = {
  19: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
  20: { min: 0n, max: 2n ** 64n - 1n },
}

/** A whole number of up to 64 bits; a number, or a string beyond 2^53. More digits than the precision are refused, also in filters. */
export const integerType: FieldType = {
  name: 'integer',
  number: 1,
  empty: null,
  like: true,
  ordered: true,
  parse(input, field): FieldValue | Problem {
    const { precision = defaultPrecision } = field.definition as IntegerField
    if (typeof input === 'number') {
      if (!Number.isInteger(input)) return notAnInteger(input)
      if (!Number.isSafeInteger(input)) return lostDigits(input)
      return String(Math.abs(input)).length > precision ? tooManyDigits(precision) : within(precision, input + 0)
    }
    if (input === null || input === undefined) return null
    if (typeof input !== 'string') return notAnInteger(input)
    const text = input.trim()
    if (text === '') return null
    const digits = digitsOnly.test(text)
      ? { negative: false, whole: String(Number(text)), fraction: '' }
      : readDigits(text)
    if (!digits || digits.fraction !== '') return notAnInteger(input)
    return digits.whole.length > precision
      ? tooManyDigits(precision)
      : within(precision, integerValue(digitsText(digits)))
  },
  validate: (value, field) => checkRange(value, field.definition as IntegerField),
  format: formatNumber,
  column: (field) => ({ kind: 'integer', precision: (field.definition as IntegerField).precision ?? defaultPrecision }),
  jsonSchema(field) {
    const { precision = defaultPrecision, min, max } = field.definition as IntegerField
    const most = precision > defaultPrecision ? Number.MAX_SAFE_INTEGER : 10 ** precision - 1
    return {
      type: ['integer', ...(precision > defaultPrecision ? ['string'] : []), ...(field.required ? [] : ['null'])],
      minimum: Math.max(min ?? -most, precision === 20 ? 0 : -most),
      maximum: Math.min(max ?? most, most),
      ...(precision > defaultPrecision ? { pattern: `^${precision === 20 ? '' : '-?'}[0-9]{1,${precision}}$` } : {}),
    }
  },
}

function notAnInteger(input: unknown): Problem {
  return new Problem('ERR_TYPE', `must be a whole number, not ${describe(input)}`)
}

function within(precision: number, value: number | string): number | string | Problem {
  const range = wide[precision]
  if (!range) return value
  const number = BigInt(value)
  if (number >= range.min && number <= range.max) return value
  return new Problem('ERR_TYPE', `must be a whole number from ${range.min} to ${range.max}`)
}

function tooManyDigits(precision: number): Problem {
  return new Problem('ERR_TYPE', `must have at most ${precision} digits`)
}
