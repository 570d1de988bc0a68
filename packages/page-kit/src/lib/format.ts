import { t } from './i18n.js'
import { language, locale } from './language.js'

export { locale }

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
] as const

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' })

/** `3 hours ago`; within a minute `just now`. Empty or no date: `Never`. */
export function formatRelative(at: string, now = Date.now()): string {
  const ms = Date.parse(at) - now
  if (Number.isNaN(ms)) return t('time.never')
  const [unit, length] = units.find(([, one]) => Math.abs(ms) >= one) ?? []
  return unit === undefined ? t('time.now') : relative.format(Math.round(ms / length), unit)
}

/** `21 Nov 2026, 14:05`, local time. */
export function formatDateTime(at: string): string {
  return Number.isNaN(Date.parse(at)) ? t('time.never') : dateTime.format(new Date(at))
}

/** With weekday and seconds. */
export function formatExact(at: string): string {
  return Number.isNaN(Date.parse(at)) ? t('time.never') : exact.format(new Date(at))
}

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function formatDuration(ms: number): string {
  if (ms < second) return `${formatNumber(Math.round(ms))} ms`
  if (ms < minute) return `${formatNumber(ms / second, ms < 10 * second ? 1 : 0)} s`
  if (ms < hour) return pair(Math.round(ms / second), 60, 'min', 's')
  return pair(Math.round(ms / minute), 60, 'h', 'min')
}

function pair(count: number, per: number, large: string, small: string): string {
  const rest = count % per
  return `${formatNumber(Math.floor(count / per))} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`
}

/** In steps of 1000, as targets and disks count: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const names = language === 'fr' ? ['o', 'ko', 'Mo', 'Go', 'To'] : ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), names.length - 1)
  const value = bytes / 1000 ** power
  return `${formatNumber(value, power > 0 && value < 100 ? 1 : 0)} ${names[power]}`
}

/** @param digits at most this many after the point. Default 0. */
export function formatNumber(value: number, digits = 0): string {
  return value.toLocaleString(locale, { maximumFractionDigits: digits })
}
