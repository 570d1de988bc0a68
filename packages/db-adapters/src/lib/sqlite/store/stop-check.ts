// What a reading thread needs to be stopped. It imports nothing, so that Node can run it from source.

/**
 * Name of the SQL function that stands before expensive conditions: it is always true, but fails when no caller waits for the
 * statement any more. SQLite's own way to interrupt a statement is not open to users of its driver.
 */
export const stopCheckName = 'steward_goes_on'

/** @param stop Its first number is not 0 when the statement shall end. */
export function stopCheck(stop: Int32Array): () => number {
  return () => {
    if (Atomics.load(stop, 0) === 0) return 1
    throw Object.assign(new Error('interrupted'), { code: 'SQLITE_INTERRUPT' })
  }
}
