import type { BackedUpDatabase } from './backup.js'

export type CountedRows = Pick<BackedUpDatabase, 'rows' | 'rowsAfter'>

/** Counts the rows of a database while it is saved, so that the numbers fit what is saved: see `BackedUpDatabase`. */
export interface RowCounter {
  /** Nothing is written now, nor before the dump has started. What takes long is not done then. */
  countFrozen(): Promise<void>
  /** The dump has started; unless they were counted while nothing was written. */
  countAgain(warn: (text: string) => void): Promise<void>
  counted(): CountedRows
}

/** An instance is not frozen longer for its rows to be counted than this. Not specified; chosen to go unnoticed. */
const shortMs = 200

/**
 * Counts them for the first time.
 *
 * @param frozenMs An instance is frozen for this long at most: then it resumes, whatever was done meanwhile.
 */
export async function createRowCounter<T extends Pick<BackedUpDatabase, 'rows'>>(
  count: () => Promise<T>,
  frozenMs: number,
): Promise<RowCounter & { readonly first: T }> {
  const begin = performance.now()
  const first = await count()
  const isQuick = performance.now() - begin < shortMs
  const frozenFrom = performance.now()
  let counted: CountedRows = { rows: first.rows }
  let isDone = false
  return {
    first,
    async countFrozen() {
      if (!isQuick) return
      // What fails is tried again.
      const again = await count().catch(() => undefined)
      if (again === undefined || performance.now() - frozenFrom > frozenMs) return
      counted = { rows: again.rows }
      isDone = true
    },
    async countAgain(warn) {
      if (isDone) return
      try {
        counted = withAfter(first.rows, (await count()).rows)
      } catch (error) {
        warn(`Its rows were only counted before the backup: ${(error as Error).message}`)
      }
    },
    counted: () => counted,
  }
}

function withAfter(rows: CountedRows['rows'], after: CountedRows['rows']): CountedRows {
  const tables = [...new Set([...Object.keys(rows), ...Object.keys(after)])]
  const changed = tables.filter((table) => rows[table] !== after[table])
  if (changed.length === 0) return { rows }
  return { rows, rowsAfter: Object.fromEntries(changed.map((table) => [table, after[table] ?? null])) }
}
