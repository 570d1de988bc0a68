const hourMs = 3_600_000

/** Periods that end now. */
export const ranges = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs, '30d': 30 * 24 * hourMs } as const
export type Range = keyof typeof ranges

/** What charts show: a range up to now, or a period that was drawn in one. */
export interface Period {
  readonly from: number
  readonly to: number
  /** Undefined: nothing was chosen, so that it begins with the first sample. */
  readonly range: Range | undefined
  readonly isDrawn: boolean
}

/** The period that an address names: `range=7d`, or `from` and `to` in ms since the epoch; else the last 24 hours. */
export function periodOf(query: Readonly<Record<string, string>>, now: number): Period {
  const [from, to] = [Number(query['from']), Number(query['to'])]
  if (from > 0 && to > from && to <= now + hourMs) return { from, to, range: undefined, isDrawn: true }
  const range = isRange(query['range']) ? query['range'] : undefined
  return { from: now - ranges[range ?? '24h'], to: now, range, isDrawn: false }
}

/** Where a chart starts: without a choice not long before the first sample. */
export function beginningOf({ from, to, range, isDrawn }: Period, times: readonly number[]): number {
  if (range !== undefined || isDrawn || times.length === 0) return from
  const first = Math.min(...times)
  return Math.min(Math.max(from, first - (to - first) / 50), to - hourMs / 4)
}

function isRange(text: string | undefined): text is Range {
  return text !== undefined && Object.hasOwn(ranges, text)
}
