import type { Json } from '@steward/manager-core'
import { cellText, wordsOf } from './cell.js'
import { isAddress, plainLink, type Link } from './link.js'
import { plainPaint, type Paint, type Style } from './paint.js'
import { cut, lineOf, padded, widthOf, wrapped } from './text.js'
import { createTimes, timesIn, type Times } from './times.js'

/** Between columns. */
const gap = '  '
/** A column is not cut below this. */
const leastWidth = 8
/** Where a column would have to be cut below this, the last ones are left out first. */
const readableWidth = 24

export interface TableOptions {
  /** Width of the terminal; undefined: nothing is cut or left out. */
  readonly width?: number | undefined
  readonly times?: Times | undefined
  readonly paint?: Paint | undefined
  readonly link?: Link | undefined
  /** Keys of texts that stand on lines of their own below their row. */
  readonly below?: readonly string[] | undefined
  /** The last column, when its texts are continued in the next line instead of being cut. */
  readonly wraps?: string | undefined
  /** Called with the number of columns for which there is no room. */
  readonly onLeftOut?: ((count: number) => void) | undefined
}

/**
 * Rows under headings, columns aligned, no lines. Where there is no room, the last columns are left out, which `…` shows.
 *
 * @param columns keys of the rows' objects
 */
export function table(
  rows: readonly Json[],
  columns: readonly string[],
  {
    width,
    times = createTimes(),
    paint = plainPaint,
    link = plainLink,
    below = [],
    wraps,
    onLeftOut,
  }: TableOptions = {},
): string {
  const headings = columns.map((column) => wordsOf(column, times).toUpperCase())
  // Column by column, and without a closure per cell: there may be tens of thousands.
  const cells = columns.map((column) =>
    rows.map((row) => cellText(column, (row as Record<string, Json>)[column], times, 'short')),
  )
  const widths = cells.map((texts, at) => {
    let most = (headings[at] as string).length
    for (const text of texts) most = Math.max(most, widthOf(text))
    return most
  })
  const count = width === undefined ? columns.length : fit(widths, width)
  if (count < columns.length) onLeftOut?.(columns.length - count)
  const shownCells = cells.slice(0, count)
  const wrapsAt = width === undefined ? -1 : columns.slice(0, count).indexOf(wraps ?? '')
  const indent = wrapsAt <= 0 ? '' : ' '.repeat(sum(widths.slice(0, wrapsAt)) + gap.length)
  const head = headings
    .slice(0, count)
    .map((heading, at) => padded(heading, widths[at] as number))
    .join(gap)
  let text = paint('bold', `${head.trimEnd()}${count < columns.length ? ' …' : ''}`)
  for (let row = 0; row < rows.length; row++) {
    let line = ''
    let rest: readonly string[] = []
    for (const [at, texts] of shownCells.entries()) {
      const cell = texts[row] as string
      const room = widths[at] as number
      const [shown = '', ...others] =
        at === wrapsAt ? wrapped(cell, room) : [width === undefined ? cell : cut(cell, room)]
      rest = others
      const style = styleOf(columns[at] as string, cell)
      const padding = ' '.repeat(Math.max(0, room - widthOf(shown)))
      const painted = style === undefined ? shown : paint(style, shown)
      line += (at === 0 ? '' : gap) + (isAddress(columns[at] as string) ? link(cell, painted) : painted) + padding
    }
    text += `\n${line.trimEnd()}`
    for (const one of rest) text += `\n${indent}${one}`
    for (const key of below) {
      const more = timesIn(lineOf((rows[row] as Record<string, Json>)[key]), times)
      if (more === '') continue
      const lines = width === undefined ? [more] : wrapped(more, Math.max(leastWidth, width - 4))
      for (const one of lines) text += `\n    ${paint('dim', one)}`
    }
  }
  return `${text}\n`
}

/** What is well and what is not, in columns that say so. */
function styleOf(column: string, cell: string): Style | undefined {
  if (!judging.has(column)) return undefined
  if (/^(?:ok|started|succeeded|✔)$/i.test(cell)) return 'green'
  if (/^(?:crashed|failed|error|attention|unreachable)\b|^(?:http|status)-|^✖/i.test(cell)) return 'red'
  return /^(?:degraded|warning|slow|rolled|starting|▲)/i.test(cell) ? 'yellow' : undefined
}

const judging = new Set(['status', 'state', 'observed', 'health', 'level', 'result', 'reason'])

/** @returns how many columns there is room for; the widest of them are cut until a row fits. */
function fit(widths: number[], width: number): number {
  const least = widths.map((one) => Math.min(one, readableWidth))
  let count = widths.length
  while (count > 1 && sum(least.slice(0, count)) > width) count--
  const shown = widths.slice(0, count)
  const over = () => sum(shown) - width
  while (over() > 0) {
    const widest = Math.max(...shown)
    if (widest <= leastWidth) break
    const next = Math.max(leastWidth, ...shown.filter((one) => one < widest))
    const at = shown.indexOf(widest)
    shown[at] = Math.max(widest - over(), Math.min(next, widest - 1))
  }
  widths.splice(0, widths.length, ...shown)
  return count
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, one) => all + one + gap.length, -gap.length)
}
