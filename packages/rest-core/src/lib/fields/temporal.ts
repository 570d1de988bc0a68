import { describe } from './describe.js'
import type { FieldModel } from '../model/model.js'
import type { DatetimeField } from '../definition/definition.js'
import { Problem, type ColumnType, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'

const timePart = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?`
const dateShape = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[T ]${timePart})?$`, 'i')
const timeShape = new RegExp(`^${timePart}$`, 'i')

/** What an ISO 8601 text says, in UTC. */
export interface Moment {
  /** `yyyy-MM-dd` */
  readonly date: string
  /** `HH:mm:ss` */
  readonly time: string
  /** Digits after the point of the seconds; empty when there are none. */
  readonly fraction: string
}

/**
 * Reads a date, or a date and time, in the wire form or ISO 8601: `T` or a blank between them, seconds and a fraction
 * if wanted, an offset (turned into UTC); without a time it is midnight. `undefined` for anything else, impossible dates
 * and years outside 0001 to 9999 included.
 */
export function readMoment(text: string): Moment | undefined {
  const match = dateShape.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', offset] = match
  if (!isDate(Number(year), Number(month), Number(day)) || !isTime(hour, minute, second)) return undefined
  const minutes = readOffset(offset)
  if (minutes === undefined) return undefined
  if (minutes === 0) return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}:${second}`, fraction }
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute) - minutes, Number(second))
  return date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999 ? undefined : { ...momentOf(date), fraction }
}

/** Whether a date and time says where on earth it is meant. */
export function hasOffset(text: string): boolean {
  return dateShape.exec(text)?.[8] !== undefined
}

/** Reads a time of day, `HH:mm` or `HH:mm:ss`, with fraction and offset (turned into UTC) if wanted. */
export function readTime(text: string): Omit<Moment, 'date'> | undefined {
  const match = timeShape.exec(text)
  if (!match) return undefined
  const [, hour = '', minute = '', second = '00', fraction = '', offset] = match
  const minutes = readOffset(offset)
  if (minutes === undefined || !isTime(hour, minute, second)) return undefined
  const { time } = momentOf(new Date(Date.UTC(2000, 0, 2, Number(hour), Number(minute) - minutes, Number(second))))
  return { time, fraction }
}

/** A time with as many digits of its fraction as a field has, without zeros at their end. */
export function withFraction(
  { time, fraction }: Pick<Moment, 'time' | 'fraction'>,
  { columnType }: FieldModel,
): string {
  const kept = fraction.slice(0, precisionOf(columnType)).replace(/0+$/, '')
  return kept === '' ? time : `${time}.${kept}`
}

/** Digits of fractions of a second. */
function precisionOf(type: ColumnType): number {
  return type.kind === 'datetime' || type.kind === 'time' ? (type.precision ?? 0) : 0
}

/** The moment in UTC, without fractions of a second; the year must be 0 to 9999. */
export function momentOf(date: Date): Omit<Moment, 'fraction'> {
  const iso = date.toISOString()
  return { date: iso.slice(0, 10), time: iso.slice(11, 19) }
}

/** `yyyy-MM-dd HH:mm:ss` in UTC. */
export function timestamp(now: Date): string {
  const { date, time } = momentOf(now)
  return `${date} ${time}`
}

function isDate(year: number, month: number, day: number): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** `month` is 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function isTime(hour: string, minute: string, second: string): boolean {
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
}

/** Minutes east of Greenwich. */
function readOffset(offset: string | undefined): number | undefined {
  if (offset === undefined || offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Dates for JSON Schema: months have their days, every February 29. */
export const datePattern =
  '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))'

/** Times for JSON Schema. */
export const timePattern = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'

export interface TemporalTypeOptions {
  readonly name: 'date' | 'datetime' | 'time'
  /** Type number in metadata. */
  readonly number: number
  /** The value in its one form, or `undefined` when the text is none. */
  readonly read: (text: string, field: FieldModel) => string | undefined
  /** Completes `must be `. */
  readonly expected: (field: FieldModel) => string
  /** Pattern of a non-empty value. */
  readonly pattern: (fraction: string) => string
  /** The same, and what `extended` fields take in addition. */
  readonly extended: {
    /** Pattern of such a value, as it is answered. */
    readonly pattern: (fraction: string) => string
    /** The value in its one form. */
    readonly read: (text: string, field: FieldModel) => string | undefined
  }
}

/** A field type of dates or times: texts whose order is the order of time. */
export function temporalType(options: TemporalTypeOptions): FieldType {
  return {
    name: options.name,
    number: options.number,
    empty: '',
    like: true,
    ordered: true,
    parse(input, field): FieldValue | Problem {
      if (input === null || input === undefined || input === '') return ''
      const text = typeof input === 'string' ? input.trim() : undefined
      const value =
        text === undefined
          ? undefined
          : (options.read(text, field) ??
            (isExtended(field.columnType) ? options.extended.read(text, field) : undefined))
      return value ?? new Problem('ERR_TYPE', `must be ${options.expected(field)}, not ${describe(input)}`)
    },
    validate: () => undefined,
    format: String,
    column({ definition }) {
      const { precision = 0, extended } = definition as DatetimeField
      return { kind: options.name, ...(precision > 0 && { precision }), ...(extended && { extended }) }
    },
    jsonSchema(field) {
      const fraction = fractionPattern(field.columnType)
      const usual = options.pattern(fraction)
      const pattern = isExtended(field.columnType) ? `(?:${usual}|${options.extended.pattern(fraction)})` : usual
      return { type: 'string', pattern: field.required ? `^${pattern}$` : `^(${pattern})?$` }
    },
  }
}

export function isExtended(type: ColumnType): boolean {
  return 'extended' in type && type.extended === true
}

/** What may follow the seconds. */
export function fractionPattern(type: ColumnType): string {
  const precision = precisionOf(type)
  return precision === 0 ? '' : String.raw`(?:\.[0-9]{1,${precision}})?`
}

/** Days of extended fields, without what follows them. */
const extendedDay = /^(\d{4}|[1-9]\d{4,6})-(\d{2})-(\d{2})$/
const era = / BC$/i
const infinity = /^-?infinity$/i

/** `12024-01-01`, `0044-03-15 BC`, `2024-00-00`, `infinity`: whether there is such a day is for the database to say. */
export function readExtendedDate(text: string): string | undefined {
  if (infinity.test(text)) return text.toLowerCase()
  const day = text.replace(era, '')
  const [, , month = '', date = ''] = extendedDay.exec(day) ?? []
  if (month === '' || Number(month) > 12 || Number(date) > 31) return undefined
  return day === text ? day : `${day} BC`
}

/** The same with a time; without one it is midnight. */
export function readExtendedDatetime(text: string, field: FieldModel): string | undefined {
  if (infinity.test(text)) return text.toLowerCase()
  const isBefore = era.test(text)
  const [day = '', clock = '00:00:00', ...more] = text.replace(era, '').split(/[T ]/i)
  const time = more.length === 0 ? readTime(clock) : undefined
  if (readExtendedDate(day) !== day || !time || /[+-]\d/.test(clock)) return undefined
  return `${day} ${withFraction(time, field)}${isBefore ? ' BC' : ''}`
}

const extendedTime = /^(-?\d{2,3}:[0-5]\d:[0-5]\d)(?:[.,](\d{1,9}))?$/

/** `24:00:00`, `838:59:59`, `-01:30:00` */
export function readExtendedTime(text: string, field: FieldModel): string | undefined {
  const [, time, fraction = ''] = extendedTime.exec(text) ?? []
  return time === undefined ? undefined : withFraction({ time, fraction }, field)
}

/** Dates of extended fields for JSON Schema. */
export const extendedDatePattern = '-?infinity|(?:[0-9]{4}|[1-9][0-9]{4,6})-[0-9]{2}-[0-9]{2}(?: BC)?'

/** Order of two values of a field with dates or times; those of extended fields do not sort as texts. */
export function compareTemporal(a: string, b: string): number {
  const [first, second] = [eraOf(a), eraOf(b)]
  if (first !== second) return first - second
  const [x, y] = [orderText(a), orderText(b)]
  if (x === y) return 0
  const isLess = x < y
  // Negative times run backwards; before the year 1, years do, but not months.
  const isReversed = first === -3 || (first === -1 && x.slice(0, yearDigits) !== y.slice(0, yearDigits))
  return isLess === isReversed ? 1 : -1
}

/** -4 infinity of the past, -3 a negative time, -1 before the year 1, 0 usual, 1 infinity. */
function eraOf(value: string): number {
  if (value === '-infinity') return -4
  if (value === 'infinity') return 1
  if (value.startsWith('-')) return -3
  return era.test(value) ? -1 : 0
}

const yearDigits = 7
const hourDigits = 3

/** Years with seven digits, hours with three, so that texts sort. */
function orderText(value: string): string {
  const text = value.startsWith('-') ? value.slice(1) : value
  const [, first = ''] = /^(\d+)[-:]/.exec(text) ?? []
  const digits = text[first.length] === ':' ? hourDigits : yearDigits
  return first.padStart(digits, '0') + text.slice(first.length)
}
