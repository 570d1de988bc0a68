import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import type { BackupTarget, GetOptions } from '../target.js'
import type { Limit } from './limit.js'
import { retry, type RetryAttempt, type RetryPolicy } from './retry.js'

/**
 * A stream that continues at the missing byte when it is cut. Rejects when the object cannot be opened. An object that is
 * replaced meanwhile would be read in parts of both: objects are written once.
 */
export function download(
  target: BackupTarget,
  key: string,
  { start = 0, end = Infinity, signal }: GetOptions,
  policy: RetryPolicy,
  limit: Limit | undefined,
): Promise<Readable> {
  const out = new PassThrough({ writableHighWaterMark: 1 << 18, readableObjectMode: true, readableHighWaterMark: 4 })
  const stopped = new AbortController()
  const either = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal
  out.once('close', () => stopped.abort(new Error('The reader has stopped.')))
  let at = start
  let isOpen = false

  return new Promise((resolve, reject) => {
    retry(policy, either, async (attempt) => {
      if (at > start && (await isWhole(attempt))) return
      const stream = await target.get(key, {
        start: at,
        end: end === Infinity ? undefined : end,
        signal: attempt.signal,
      })
      isOpen = true
      resolve(out)
      await copy(stream, attempt)
    }).then(
      () => out.end(),
      (error: Error) => {
        reject(error)
        // The caller does not have the stream yet, so it cannot report the error.
        out.destroy(isOpen ? error : undefined)
      },
    )
  })

  /** It was cut after the last byte. */
  async function isWhole(attempt: RetryAttempt): Promise<boolean> {
    if (at > end) return true
    const found = await target.stat(key, { signal: attempt.signal })
    attempt.watchdog.touch()
    return found !== undefined && at >= found.size
  }

  async function copy(stream: Readable, { signal: attempted, watchdog }: RetryAttempt): Promise<void> {
    const touch = () => watchdog.touch()
    watchdog.isExcused = () => out.writableNeedDrain
    attempted.addEventListener('abort', () => stream.destroy(attempted.reason as Error), { once: true })
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await limit?.(chunk.length, touch)
      attempted.throwIfAborted()
      touch()
      at += chunk.length
      if (!out.write(chunk)) await once(out, 'drain', { signal: attempted })
    }
  }
}
