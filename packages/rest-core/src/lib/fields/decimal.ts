import type { DecimalField } from '../definition/definition.js'
import type { FieldModel } from '../model/model.js'
import { describe } from './describe.js'
import { Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'
import { floatOf, readBeyond } from './float-number.js'
import { readDigits, valueOfDigits, type Digits } from './number-text.js'
import { checkRange, formatNumber, lostDigits } from './number-value.js'

const defaultPrecision = 15
const defaultScale = 2
/** Digits that survive the way through a double. */
const exactDigits = 15
/** Currencies have up to four digits after the point. Source: ISO 4217. */
const mostShownZeros = 4
/** What averages and sums of columns have that say no size. */
const floatSize = { precision: 15, scale: 6 }
const unlimitedSize = { precision: 38, scale: 12 }

/**
 * An exact decimal number; a number while 15 digits are enough, else a string. More digits than the column has are
 * refused, never rounded, also in filters. With `storage`, a floating-point number, which is a number with all its digits, or
 * a decimal number of any number of digits.
 */
export const decimalType: FieldType = {
  name: 'decimal',
  number: 2,
  empty: null,
  like: false,
  ordered: true,
  parse(input, field): FieldValue | Problem {
    if (input === null || input === undefined) return null
    if (typeof input !== 'number' && typeof input !== 'string') return notANumber(input)
    const text = typeof input === 'number' ? String(input) : input.trim()
    if (text === '') return null
    const { storage, extended } = field.definition as DecimalField
    const special = extended ? readBeyond(text) : undefined
    if (special !== undefined) return special === '-0' && storage === 'unlimited' ? 0 : special
    const digits = readDigits(text)
    if (!digits) return notANumber(input)
    if (storage === 'double' || storage === 'single') return parseFloatingPoint(digits, storage)
    if (typeof input === 'number' && !Number.isSafeInteger(input) && typeof valueOfDigits(digits) === 'string') {
      return lostDigits(input)
    }
    return (storage === 'unlimited' ? undefined : tooManyDigits(digits, field)) ?? valueOfDigits(digits)
  },
  validate: (value, field) => checkRange(value, field.definition as DecimalField),
  format(value, field) {
    const text = formatNumber(value)
    const zeros = shownScale(field) - (text.split('.')[1] ?? '').length
    return zeros <= 0 || !/^-?\d/.test(text) ? text : `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(zeros)}`
  },
  column(field) {
    const { storage, extended } = field.definition as DecimalField
    return { kind: 'decimal', ...sizeOf(field), ...(storage && { storage }), ...(extended && { extended }) }
  },
  jsonSchema(field) {
    const { min, max, storage } = field.definition as DecimalField
    if (storage) return schemaWithoutSize(field)
    const { precision, scale } = sizeOf(field)
    const most = 10 ** (precision - scale)
    return {
      type: ['number', ...(precision > exactDigits ? ['string'] : []), ...(field.required ? [] : ['null'])],
      ...(min === undefined ? { exclusiveMinimum: -most } : { minimum: min }),
      ...(max === undefined ? { exclusiveMaximum: most } : { maximum: max }),
      ...(precision > exactDigits
        ? { pattern: `^-?[0-9]{1,${Math.max(1, precision - scale)}}${scale > 0 ? `(?:\\.[0-9]{1,${scale}})?` : ''}$` }
        : {}),
    }
  },
}

/**
 * Digits after the point that people see at least, so that amounts below each other line up. A scale beyond those of
 * amounts says what a column can hold, not what its values have.
 */
export function shownScale(field: FieldModel): number {
  const { scale } = sizeOf(field)
  return scale <= mostShownZeros ? scale : 0
}

/** Texts of numbers as they are answered where a double does not hold them. */
export function longNumberPattern({ storage, extended }: Pick<DecimalField, 'storage' | 'extended'>): string {
  const number = String.raw`-?[0-9]+(?:\.[0-9]+)?`
  const special = 'NaN|-?Infinity|-0'
  if (!extended) return `^${number}$`
  return storage === 'unlimited' ? `^(?:${number}|${special})$` : `^(?:${special})$`
}

function schemaWithoutSize(field: FieldModel): Record<string, unknown> {
  const definition = field.definition as DecimalField
  const { min, max, storage, extended } = definition
  const isText = storage === 'unlimited' || extended
  return {
    type: ['number', ...(isText ? ['string'] : []), ...(field.required ? [] : ['null'])],
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(isText ? { pattern: longNumberPattern(definition) } : {}),
  }
}

function parseFloatingPoint(digits: Digits, storage: 'double' | 'single'): number | Problem {
  const number = floatOf(digits, storage)
  if (typeof number === 'number') return number
  const text = `must be a number of ${storage} precision, which has fewer digits; the nearest is ${number}`
  return new Problem('ERR_TYPE', text)
}

function sizeOf(field: FieldModel): { precision: number; scale: number } {
  const { storage } = field.definition as DecimalField
  if (storage) return storage === 'unlimited' ? unlimitedSize : floatSize
  const { precision = defaultPrecision, scale = Math.min(defaultScale, precision) } = field.definition as DecimalField
  return { precision, scale }
}

function tooManyDigits({ whole, fraction }: Digits, field: FieldModel): Problem | undefined {
  const { precision, scale } = sizeOf(field)
  if (fraction.length > scale) {
    return new Problem('ERR_TYPE', `must have at most ${scale} digits after the point`)
  }
  if (whole !== '0' && whole.length > precision - scale) {
    return new Problem('ERR_TYPE', `must have at most ${precision - scale} digits before the point`)
  }
  return undefined
}

function notANumber(input: unknown): Problem {
  return new Problem('ERR_TYPE', `must be a number, not ${describe(input)}`)
}
