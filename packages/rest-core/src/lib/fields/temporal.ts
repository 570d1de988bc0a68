import { describe } from './describe.js'
import type { FieldModel } from '../model/model.js'
import { Problem, type FieldType } from './field-type.js'
import type { FieldValue } from './field-value.js'

const timePart = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?`
const dateShape = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[T ]${timePart})?$`, 'i')
const timeShape = new RegExp(`^${timePart}$`, 'i')

/** What an ISO 8601 text says, in UTC. */
export interface Moment {
  /** `yyyy-MM-dd` */
  readonly date: string
  /** `HH:mm:ss` */
  readonly time: string
}

/**
 * Reads a date, or a date and time, in the wire form or ISO 8601: `T` or a blank between them, seconds and a fraction
 * (dropped) if wanted, an offset (turned into UTC); without a time it is midnight. `undefined` for anything else,
 * impossible dates and years outside 0001 to 9999 included.
 */
export function readMoment(text: string): Moment | undefined {
  const match = dateShape.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', offset] = match
  if (!isDate(Number(year), Number(month), Number(day)) || !isTime(hour, minute, second)) return undefined
  const minutes = readOffset(offset)
  if (minutes === undefined) return undefined
  if (minutes === 0) return { date: `${year}-${month}-${day}`, time: `${hour}:${minute}:${second}` }
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute) - minutes, Number(second))
  return date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999 ? undefined : momentOf(date)
}

/** Whether a date and time says where on earth it is meant. */
export function hasOffset(text: string): boolean {
  return dateShape.exec(text)?.[7] !== undefined
}

/** Reads a time of day, `HH:mm` or `HH:mm:ss`, with fraction (dropped) and offset (turned into UTC) if wanted. */
export function readTime(text: string): string | undefined {
  const match = timeShape.exec(text)
  if (!match) return undefined
  const [, hour = '', minute = '', second = '00', offset] = match
  const minutes = readOffset(offset)
  if (minutes === undefined || !isTime(hour, minute, second)) return undefined
  return momentOf(new Date(Date.UTC(2000, 0, 2, Number(hour), Number(minute) - minutes, Number(second)))).time
}

/** The moment in UTC, without fractions of a second; the year must be 0 to 9999. */
export function momentOf(date: Date): Moment {
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
  readonly pattern: string
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
      const value = typeof input === 'string' ? options.read(input.trim(), field) : undefined
      return value ?? new Problem('ERR_TYPE', `must be ${options.expected(field)}, not ${describe(input)}`)
    },
    validate: () => undefined,
    format: String,
    column: () => ({ kind: options.name }),
    jsonSchema: (field) => ({
      type: 'string',
      pattern: field.required ? `^${options.pattern}$` : `^(${options.pattern})?$`,
    }),
  }
}
