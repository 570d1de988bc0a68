/** What else is in a row: widths in pixels. */
export interface Row {
  /** Room for the links, beside what always stands there. */
  readonly room: number
  /** Width of the button that leads to the links without a place. */
  readonly more: number
}

/**
 * Which links stand in a row, by their places: all of them, or the first that fit beside a button for the others. The
 * current one always does.
 */
export function fitting(widths: readonly number[], { room, more }: Row, current?: number): ReadonlySet<number> {
  const all = widths.reduce((sum, width) => sum + width, 0)
  if (all <= room) return new Set(widths.keys())
  const first = firstWithin(widths, room - more)
  if (current === undefined || current < first) return new Set(Array.from({ length: first }, (_, at) => at))
  const beside = firstWithin(widths, room - more - (widths[current] ?? 0))
  return new Set([...Array.from({ length: beside }, (_, at) => at), current])
}

function firstWithin(widths: readonly number[], room: number): number {
  let left = room
  const at = widths.findIndex((width) => (left -= width) < 0)
  return at < 0 ? widths.length : at
}
