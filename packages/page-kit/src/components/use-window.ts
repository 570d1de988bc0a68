import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Below that many rows all of them are drawn. */
const few = 150
/** Rows that are drawn above and below what is seen. */
const beyond = 20

export interface RowWindow {
  /** First row that is drawn. */
  readonly first: number
  /** The one after the last. */
  readonly end: number
  /** Heights of what is not drawn, in pixels. */
  readonly above: number
  readonly below: number
}

/**
 * Which rows of a long table are drawn: those in sight and some around them. Heights are guessed from the rows that are
 * there.
 *
 * @param body of the table; its children are the rows, and one each for what is above and below
 */
export function useWindow(body: RefObject<HTMLElement | null>, count: number): RowWindow {
  const [{ first, end, height }, set] = useState({ first: 0, end: 2 * beyond + 10, height: 53 })
  const isLong = count > few

  useLayoutEffect(() => {
    if (!isLong) return
    const look = () => {
      const element = body.current
      if (!element) return
      const rows = [...element.children].filter((row) => !row.classList.contains('gap'))
      const [top, bottom] = [rows[0]?.getBoundingClientRect().top, rows.at(-1)?.getBoundingClientRect().bottom]
      const measured = top === undefined || bottom === undefined ? 0 : (bottom - top) / rows.length
      const row = measured > 8 ? measured : 53
      const start = Math.floor(-element.getBoundingClientRect().top / row)
      const shown = Math.ceil(innerHeight / row)
      const from = Math.max(0, Math.min(start - beyond, count - shown - beyond))
      const next = { first: from, end: Math.min(count, Math.max(0, start) + shown + beyond), height: row }
      set((now) =>
        now.first === next.first && now.end === next.end && Math.abs(now.height - next.height) < 1 ? now : next,
      )
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [isLong, count])

  if (!isLong) return { first: 0, end: count, above: 0, below: 0 }
  const last = Math.min(end, count)
  const begin = Math.min(first, last)
  return { first: begin, end: last, above: begin * height, below: (count - last) * height }
}
