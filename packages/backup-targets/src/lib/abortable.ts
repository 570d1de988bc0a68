/** The promise, unless the signal is aborted before: its reason then. What was started continues, unheard. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  let abort: () => void = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
  })
  const first = Promise.race([promise, aborted])
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await first
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
