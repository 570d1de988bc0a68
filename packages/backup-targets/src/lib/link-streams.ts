import type { Readable, Transform } from 'node:stream'

export interface LinkOptions {
  readonly signal?: AbortSignal | undefined
  /** What an error of `from` means. */
  readonly translate: (error: unknown) => unknown
}

/**
 * Pipes `from` through `into`, which also ends when `from` is stuck: aborted, it fails with the reason at once; an error
 * or early end of `from` destroys it; destroyed or read to its end, it destroys `from`.
 */
export function linkStreams<T extends Transform>(from: Readable, into: T, { signal, translate }: LinkOptions): T {
  const abort = () => into.destroy(signal?.reason as Error)
  // `from` may hear of the signal first.
  const fail = (error: Error) => (signal?.aborted ? abort() : into.destroy(translate(error) as Error))
  // It may fail before its reader has started, who gets the error then.
  into.on('error', () => {})
  // Not once: it may fail again when it is destroyed.
  from.on('error', fail)
  from.once('close', () => {
    if (!from.readableEnded) fail(new Error('it ended early'))
  })
  into.once('close', () => {
    signal?.removeEventListener('abort', abort)
    from.destroy()
  })
  if (into.destroyed) from.destroy()
  else if (signal?.aborted) abort()
  else {
    signal?.addEventListener('abort', abort, { once: true })
    from.pipe(into)
  }
  return into
}
