import { daysInMonth, momentOf } from '../fields/temporal.js'

const shape = /^\[(DATE|DATETIME)(?::((?:[+-]\d{1,6}(?:min?|[ymwdhns]))+))?\]$/i
const offsets = /([+-]\d{1,6})(min?|[ymwdhns])/gi
const timeUnits = new Map([
  ['h', 3_600_000],
  ['n', 60_000],
  ['mi', 60_000],
  ['min', 60_000],
  ['s', 1_000],
])

/**
 * Reads `[DATE]`, `[DATETIME]` and offsets from now such as `[DATE:-3m]`, `[DATE:+1y-1d]`, `[DATETIME:+12h]`, in UTC.
 * Units: `y` years, `m` months, `w` weeks, `d` days; for DATETIME also `h` hours, `n`, `mi` or `min` minutes, `s` seconds.
 * A day that the month does not have becomes its last one (31 March - 1 month = 28 or 29 February).
 * Not specified beyond the two examples; `m` is months because `[DATE:-3m]` can mean nothing else.
 *
 * @returns `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss`; `undefined` when the text is none of these or the year is not within 1 to 9999.
 */
export function readRelativeDate(text: string, now: Date): string | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const isDate = match[1]?.toUpperCase() === 'DATE'
  let date = now
  for (const [, count = '', unit = ''] of (match[2] ?? '').matchAll(offsets)) {
    if (isDate && timeUnits.has(unit.toLowerCase())) return undefined
    date = shift(date, Number(count), unit.toLowerCase())
    const year = date.getUTCFullYear()
    // Also refuses dates beyond what JavaScript can hold, whose year is NaN.
    if (!(year >= 1 && year <= 9999)) return undefined
  }
  const moment = momentOf(date)
  return isDate ? moment.date : `${moment.date} ${moment.time}`
}

/** Whether the text is meant as a relative date, well-formed or not. */
export function looksRelative(text: string): boolean {
  return /^\[DATE(?:TIME)?[:\]]/i.test(text) && text.endsWith(']')
}

function shift(date: Date, count: number, unit: string): Date {
  const shifted = new Date(date)
  if (unit === 'y' || unit === 'm') {
    const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + count * (unit === 'y' ? 12 : 1)
    const year = Math.floor(months / 12)
    const month = months - year * 12
    shifted.setUTCFullYear(year, month, Math.min(date.getUTCDate(), daysInMonth(year, month + 1)))
  } else if (unit === 'd' || unit === 'w') {
    shifted.setUTCDate(date.getUTCDate() + count * (unit === 'w' ? 7 : 1))
  } else {
    shifted.setTime(date.getTime() + count * (timeUnits.get(unit) as number))
  }
  return shifted
}
