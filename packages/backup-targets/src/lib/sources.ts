import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { TargetError } from './target-error.js'
import type { CallOptions, Source } from './target.js'

/** A file that does not change meanwhile. */
export function fileSource(path: string, size: number): Source {
  return { size, open: (start = 0) => createReadStream(path, { start, highWaterMark: 1 << 18 }) }
}

/** Bytes that are there already. */
export function bytesSource(bytes: Uint8Array | string): Source {
  const buffer = Buffer.from(bytes)
  return { size: buffer.length, open: (start = 0) => Readable.from([buffer.subarray(start)], { objectMode: false }) }
}

/** A stream, which can be read once only: an upload of it cannot go on after a cut. */
export function streamSource(stream: Readable, size?: number): Source {
  let isOpened = false
  return {
    size,
    open(start = 0) {
      if (isOpened || start > 0)
        throw new TargetError('ERR_TARGET_FAILED', 'The source is a stream, which cannot be read again.')
      isOpened = true
      return stream
    },
  }
}

/**
 * The bytes of a source from `start` on, for the `put` of a target. It fails when they are not as many as the source
 * promised; the last ones are held back until it is known that no more follow, so that a store which was told the size
 * never takes too long a source for a whole one.
 *
 * The stream fails with a TargetError (ERR_TARGET_FAILED: also what the source itself says), or the signal's reason.
 */
export function readSource(source: Source, { start = 0, signal }: CallOptions & { start?: number } = {}): Readable {
  return Readable.from(chunksOf(source, start, signal), { objectMode: false })
}

/** {@link readSource}, for those who need no stream. */
export async function* chunksOf(
  source: Source,
  start = 0,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const { size } = source
  let at = start
  let last: Buffer | undefined
  let stream: Readable | undefined
  const abort = () => stream?.destroy(signal?.reason as Error)
  try {
    signal?.throwIfAborted()
    stream = await source.open(start)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    for await (const chunk of stream as AsyncIterable<Uint8Array | string>) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as Uint8Array)
      if (bytes.length === 0) continue
      at += bytes.length
      if (size !== undefined && at > size) throw wrongSize(size, `at least ${at}`)
      if (at === size) last = bytes
      else yield bytes
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof TargetError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new TargetError('ERR_TARGET_FAILED', `Cannot read what is to be stored: ${reason}`, { cause: error })
  } finally {
    signal?.removeEventListener('abort', abort)
    stream?.destroy()
  }
  signal?.throwIfAborted()
  if (size !== undefined && at !== size) throw wrongSize(size, String(at))
  if (last) yield last
}

function wrongSize(size: number, given: string): TargetError {
  return new TargetError('ERR_TARGET_FAILED', `The source has ${given} bytes instead of ${size}.`)
}
