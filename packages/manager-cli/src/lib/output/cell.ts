import { durationText, sizeText, type Json } from '@steward/manager-core'
import { lineOf } from './text.js'
import type { Times } from './times.js'

/** Endings of keys that say in what a number counts, with how it is shown. Headings leave them out. */
const units: readonly (readonly [ending: RegExp, text: (value: number) => string])[] = [
  [/(?:^|_)(?:size|bytes)$/, sizeText],
  [/_mb$/, (value) => sizeText(value * 1_048_576)],
  [/(?:^|_)duration$|_ms$/, durationText],
  [/(?:^|_)(?:seconds|uptime)$/, (value) => durationText(value * 1000)],
  [/_percent$/, (value) => `${Math.round(value * 10) / 10} %`],
]
const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** How serious a finding is, for the eye. */
const signs: Readonly<Record<string, string>> = { ok: '✔', fixed: '✔', warning: '▲', error: '✖' }

/**
 * A value as people read it: times in local time, sizes and durations with fitting units, levels as signs.
 *
 * @param time one of `times`
 */
export function cellText(key: string, value: Json | undefined, times: Times, time: 'short' | 'long'): string {
  if (times.isPlain) return lineOf(value)
  if (key === 'level' && typeof value === 'string') return signs[value] ?? lineOf(value)
  if (typeof value === 'number') {
    const unit = units.find(([ending]) => ending.test(key))
    if (unit) return unit[1](value)
  }
  return typeof value === 'string' && date.test(value) ? times[time](value) : lineOf(value)
}

/** `response_ms` is called `response`, as its values have units of their own; not so where they are plain numbers. */
export function wordsOf(key: string, { isPlain }: Pick<Times, 'isPlain'>): string {
  return (isPlain ? key : key.replace(/_(?:bytes|mb|ms|seconds|percent)$/, '')).replaceAll('_', ' ')
}
