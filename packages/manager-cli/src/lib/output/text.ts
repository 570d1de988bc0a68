import { stripVTControlCharacters } from 'node:util'
import type { Json } from '@steward/manager-core'

/** A value on one line, without anything that a terminal would obey. */
export function lineOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map((one: Json) => lineOf(one)).join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, one]) => `${key}=${lineOf(one as Json)}`)
      .join(' ')
  const text = printable(String(value))
  return /[\n\t]/.test(text) ? text.replaceAll(/\s*[\n\t]\s*/g, ' ') : text
}

/** Text as it is, but without what a terminal would obey; line ends and tabs stay. */
export function printable(text: string): string {
  // oxlint-disable no-control-regex -- those are meant
  // Most texts have none, and there may be many of them.
  if (!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return text
  return stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  // oxlint-enable no-control-regex
}

/** How many columns of a terminal it takes, as far as that can be told without a table of all scripts. */
export function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- ASCII is meant
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text))
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u.test(
        segment,
      )
        ? 2
        : 1
  return width
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Cut to a width, its last character then being `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept) + widthOf(segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
