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
  const cells = rows.map((row) => columns.map((column) => lineOf((row as Record<string, Json>)[column])))
  const widths = headings.map((heading) => heading.length)
  for (const row of cells)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] as number, widthOf(cell))
  if (width !== undefined) fit(widths, width)
  const last = columns.length - 1
  const lineFrom = (texts: readonly string[]) =>
    texts
      .map((text, at) => {
        const shown = width === undefined ? text : cut(text, widths[at] as number)
        return at === last ? shown : padded(shown, widths[at] as number)
      })
      .join(gap)
      .trimEnd()
  return [headings, ...cells].map((row) => `${lineFrom(row)}\n`).join('')
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
