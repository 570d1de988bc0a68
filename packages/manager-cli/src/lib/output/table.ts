import type { Json } from '@steward/manager-core'
import { cut, lineOf, padded, widthOf } from './text.js'

/** Between columns. */
const gap = '  '
/** A column is not cut below this. */
const leastWidth = 8

/**
 * Rows under headings, columns aligned, no lines.
 *
 * @param columns keys of the rows' objects
 * @param width of the terminal: the widest columns are cut until a row fits; undefined: nothing is cut
 */
export function table(rows: readonly Json[], columns: readonly string[], width?: number): string {
  const headings = columns.map((column) => column.replaceAll('_', ' ').toUpperCase())
  // Column by column, and without a closure per cell: there may be tens of thousands.
  const cells = columns.map((column) => rows.map((row) => lineOf((row as Record<string, Json>)[column])))
  const widths = cells.map((texts, at) => {
    let most = (headings[at] as string).length
    for (const text of texts) most = Math.max(most, widthOf(text))
    return most
  })
  if (width !== undefined) fit(widths, width)
  let text = headings
    .map((heading, at) => padded(heading, widths[at] as number))
    .join(gap)
    .trimEnd()
  for (let row = 0; row < rows.length; row++) {
    let line = ''
    for (const [at, texts] of cells.entries()) {
      const cell = texts[row] as string
      const room = widths[at] as number
      line += (at === 0 ? '' : gap) + padded(width === undefined ? cell : cut(cell, room), room)
    }
    text += `\n${line.trimEnd()}`
  }
  return `${text}\n`
}

function fit(widths: number[], width: number): void {
  const over = () => widths.reduce((sum, one) => sum + one + gap.length, -gap.length) - width
  while (over() > 0) {
    const widest = Math.max(...widths)
    if (widest <= leastWidth) return
    const next = Math.max(leastWidth, ...widths.filter((one) => one < widest))
    const at = widths.indexOf(widest)
    widths[at] = Math.max(widest - over(), Math.min(next, widest - 1))
  }
}
