import { stripVTControlCharacters } from 'node:util'
import type { Json } from '@steward/manager-core'
import { withVisibleDirections } from '@steward/manager-core/logs'

/** Printable ASCII: nothing to be cleaned, and a column each. Most texts are, and there may be very many. */
const plain = /^[\u0020-\u007e]*$/

/** A value on one line, without anything that a terminal would obey. */
export function lineOf(value: Json | undefined): string {
  if (typeof value === 'string') return plain.test(value) ? value : printable(value).replaceAll(/\s*[\n\t]\s*/g, ' ')
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map((one: Json) => lineOf(one)).join(', ')
  return Object.entries(value)
    .map(([key, one]) => `${key}=${lineOf(one as Json)}`)
    .join(' ')
}

/** Text as it is, but without what a terminal would obey; line ends and tabs stay, and what turns text around is visible. */
export function printable(text: string): string {
  if (plain.test(text)) return text
  // oxlint-disable-next-line no-control-regex -- those are meant
  const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
  return withVisibleDirections(stripVTControlCharacters(text).replaceAll(obeyed, ''))
}

/** How many columns of a terminal it takes, as far as that is known without a table of all scripts. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text))
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}|\ufe0f/u.test(
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

/** Lines of at most this width, broken at blanks; a longer word is broken where the line ends. At least one line. */
export function wrapped(text: string, width: number): string[] {
  const lines = ['']
  const last = () => lines.at(-1) as string
  for (const word of text.split(' ')) {
    const joined = last() === '' ? word : `${last()} ${word}`
    if (widthOf(joined) <= width) lines[lines.length - 1] = joined
    else {
      if (last() !== '') lines.push('')
      for (const { segment } of new Intl.Segmenter().segment(word)) {
        if (widthOf(last()) + widthOf(segment) > width) lines.push('')
        lines[lines.length - 1] += segment
      }
    }
  }
  return lines
}
