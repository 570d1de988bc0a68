import type { Context } from 'koa'

/** How slow a client may be that reads an answer which keeps a connection of the database. In ms. */
export interface Pace {
  /** For each part of 64 KiB. */
  readonly stallMs: number
  /** From the first part to the last; 0: no limit. */
  readonly totalMs: number
}

/** Not specified; chosen because the slowest links of today are ten times as fast, and exports of a gigabyte get through. */
export const standardPace: Pace = { stallMs: 30_000, totalMs: 600_000 }

/**
 * Cuts the answer of a client that is too slow from now on.
 *
 * @returns `waits`, which is called when a part waits for the client, and gives what is called when it waits no longer
 */
export function keepPace(context: Context, { stallMs, totalMs }: Pace): { waits(): () => void } {
  const cutNow = (): void => cut(context)
  if (totalMs > 0) {
    const timer = setTimeout(cutNow, totalMs)
    context.res.once('close', () => clearTimeout(timer))
  }
  return {
    waits() {
      const timer = setTimeout(cutNow, stallMs)
      return () => clearTimeout(timer)
    },
  }
}

/** No client takes what it has got by then for the whole. */
export function cut({ res }: Context): void {
  const { stream } = res as { readonly stream?: { destroy(): void } }
  if (stream) stream.destroy()
  else res.destroy()
}
