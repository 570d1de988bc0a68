/** Not specified; chosen so that nobody waits for an hour because a server says so. */
const longestWaitMs = 10_000

/** Resolves after a time, at most 10 s; rejects with the reason when `signal` is aborted before. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, Math.min(ms, longestWaitMs))
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
  })
}
