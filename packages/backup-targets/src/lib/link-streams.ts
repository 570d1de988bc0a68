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
  // `from` may fail once more when it is destroyed.
  from.on('error', (error) => into.destroy(translate(error) as Error))
  from.once('close', () => {
    if (!from.readableEnded) into.destroy(translate(new Error('it ended early')) as Error)
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
