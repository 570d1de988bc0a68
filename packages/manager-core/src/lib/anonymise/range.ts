import type { Json } from '../domain/json.js'
import type { FieldDescription } from './application.js'
import type { AnonymisationKey } from './key.js'

/**
 * Values of numbers and moments, replaced within their range: a number of as many digits, another day or second of the
 * same year, another second of the day. No two values become the same. What has no digits, such as infinity, stays.
 */
export function rangeMaker(field: FieldDescription, key: AnonymisationKey): (value: Json) => Json {
  switch (field.type) {
    case 'integer':
    case 'decimal':
      return numberMaker(field, key)
    case 'date':
      return momentMaker(key, 86_400_000, 10)
    case 'datetime':
      return momentMaker(key, 1000, 19)
    default:
      return (value) => {
        const [hours, minutes, seconds] = String(value).split(':').map(Number) as [number, number, number]
        // Existing columns may hold times beyond a day.
        const given = Math.floor(Math.abs(hours) * 3600 + minutes * 60 + seconds) % 86_400
        const second = Number(key.permute('time', 86_400n, BigInt(given)))
        return new Date(second * 1000).toISOString().slice(11, 19) + fractionOf(value)
      }
  }
}

function numberMaker({ min, max, scale = 0 }: FieldDescription, key: AnonymisationKey): (value: Json) => Json {
  const [least, most] = [min, max].map((limit) => (limit === undefined ? undefined : unscaled(limit, scale)))
  return (value) => {
    if (!/^-?\d+(?:\.\d+)?$/.test(String(value))) return value
    const number = unscaled(value as number | string, scale)
    const [from, to] = sizeOf(number)
    const low = least !== undefined && number >= least && least > from ? least : from
    const high = most !== undefined && number <= most && most < to ? most : to
    const made = low + key.permute(`number ${low}`, high - low + 1n, number - low)
    const text = scaled(made, scale)
    return typeof value === 'number' ? Number(text) : text
  }
}

/** All numbers with as many digits and the same sign; 0 is one of the positive. */
function sizeOf(number: bigint): readonly [bigint, bigint] {
  const digits = BigInt((number < 0n ? -number : number).toString().length)
  const [least, most] = [digits === 1n ? 0n : 10n ** (digits - 1n), 10n ** digits - 1n]
  return number < 0n ? [-most, digits === 1n ? -1n : -least] : [least, most]
}

/** In units of its last digit. */
function unscaled(value: number | string, scale: number): bigint {
  const text = typeof value === 'number' ? value.toFixed(scale) : value
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = BigInt(whole + fraction.padEnd(scale, '0').slice(0, scale))
  return text.startsWith('-') ? -digits : digits
}

/** Without superfluous zeros. */
function scaled(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const at = digits.length - scale
  const fraction = digits.slice(at).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, at)}${fraction === '' ? '' : `.${fraction}`}`
}

/** @param unitMs of what is counted within the year */
function momentMaker(key: AnonymisationKey, unitMs: number, length: number): (value: Json) => Json {
  return (value) => {
    const text = String(value)
    const year = Number(text.slice(0, 4))
    const [begin, end] = [beginOf(year), beginOf(year + 1)]
    const moment = Date.parse(`${text.replace(' ', 'T')}${length === 10 ? 'T00:00:00' : ''}Z`)
    if (Number.isNaN(moment)) return value
    const made = key.permute(
      `year ${year}`,
      BigInt((end - begin) / unitMs),
      BigInt(Math.floor((moment - begin) / unitMs)),
    )
    const moved = new Date(begin + Number(made) * unitMs).toISOString().slice(0, 19).replace('T', ' ').slice(0, length)
    return moved + fractionOf(value)
  }
}

/** Existing columns may hold fractions of a second, which stay, so that no two values become the same. */
function fractionOf(value: Json): string {
  return /\.\d+$/.exec(String(value))?.[0] ?? ''
}

/** In ms, also of years before 100. */
function beginOf(year: number): number {
  return new Date(0).setUTCFullYear(year)
}
