import type { FieldMetadata } from '@steward/rest-core'

type NumberField = Pick<FieldMetadata, 'type' | 'precision' | 'key'>

const integer = 1
const decimal = 2
/** As in publications: currencies have up to four digits after the point; a larger scale says what a column can hold. */
const mostZeros = 4
/** Digits after the point that a field can have. */
const mostDigits = 38
const formats = new Map<string, Intl.NumberFormat>()

/**
 * A number for people, exactly: a decimal with the digits of its scale, so that amounts below each other line up. A key
 * says which record it is, and a whole number of four digits may be a year: neither has separators.
 */
export function numberText(value: unknown, field: NumberField, locale: string): string {
  const text = String(value)
  // Written out, it would be a row of zeros.
  if (Number.isNaN(Number(text)) || text.includes('e')) return text
  const zeros = zerosOf(field)
  const useGrouping = field.key ? false : field.type === integer ? 'min2' : 'auto'
  const id = `${locale} ${zeros} ${useGrouping}`
  let format = formats.get(id)
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      minimumFractionDigits: zeros,
      maximumFractionDigits: mostDigits,
      useGrouping,
    })
    formats.set(id, format)
  }
  return format.format(text as `${number}`)
}

/** A number for programs: with a point, without separators, with the digits of its scale. */
export function plainNumber(value: unknown, field: NumberField): string {
  const text = String(value)
  const missing = zerosOf(field) - (text.split('.')[1] ?? '').length
  if (!/^-?\d+(?:\.\d+)?$/.test(text) || missing <= 0) return text
  return `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(missing)}`
}

/** Digits after the point that all values of a field are shown with. */
export function zerosOf({ type, precision }: Pick<FieldMetadata, 'type' | 'precision'>): number {
  return type === decimal && precision <= mostZeros ? precision : 0
}
