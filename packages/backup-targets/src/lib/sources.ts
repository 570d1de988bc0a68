import { open } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { lend } from './lent.js'
import { linkStreams } from './link-streams.js'
import { TargetError } from './target-error.js'
import type { CallOptions, Source } from './target.js'

const pieceBytes = 1 << 18

/** A file that does not change meanwhile. Its pieces are lent. */
export function fileSource(path: string, size: number): Source {
  const free: Buffer[] = []
  async function* pieces(start: number) {
    const file = await open(path)
    try {
      for (let at = start; ;) {
        const memory = free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
        const { bytesRead } = await file.read(memory, 0, pieceBytes, at)
        if (bytesRead === 0) return
        at += bytesRead
        yield lend(memory.subarray(0, bytesRead), () => free.push(memory))
      }
    } finally {
      await file.close()
    }
  }
  return { size, open: (start = 0) => Readable.from(pieces(start), { objectMode: false, highWaterMark: pieceBytes }) }
}

/** Bytes that are there already. */
export function bytesSource(bytes: Uint8Array | string): Source {
  const buffer = Buffer.from(bytes)
  function* pieces(start: number) {
    for (let at = start; at < buffer.length; at += pieceBytes) yield buffer.subarray(at, at + pieceBytes)
  }
  return { size: buffer.length, open: (start = 0) => Readable.from(pieces(start), { objectMode: false }) }
}

/** A stream, which can be read once only: an upload of it cannot continue after a cut. */
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
 * promised; the last ones are held back until it is known that no more follow, so that a store which was given the size
 * never takes too long a source for a whole one.
 *
 * The stream fails with a TargetError (ERR_TARGET_FAILED: also what the source itself says), or the signal's reason, also
 * when the source is stuck.
 */
export function readSource(source: Source, { start = 0, signal }: CallOptions & { start?: number } = {}): Readable {
  const { size } = source
  let at = start
  let last: Buffer | undefined
  const sized = new Transform({
    // Loops get the chunks as they are, not joined.
    readableObjectMode: true,
    readableHighWaterMark: 1,
    transform(chunk: Buffer, _encoding, done) {
      at += chunk.length
      if (size === undefined || at < size) done(null, chunk)
      else if (at > size) done(wrongSize(size, `at least ${at}`))
      else {
        last ??= chunk
        done()
      }
    },
    flush(done) {
      if (size === undefined || at === size) done(null, last)
      else done(wrongSize(size, String(at)))
    },
  })
  opened(source, start).then(
    (stream) => linkStreams(stream, sized, { signal, translate: sourceError }),
    (error: unknown) => sized.destroy(sourceError(error)),
  )
  return sized
}

/** {@link readSource}, for loops. */
export function chunksOf(source: Source, start = 0, signal?: AbortSignal): AsyncIterable<Buffer> {
  return readSource(source, { start, signal })
}

async function opened(source: Source, start: number): Promise<Readable> {
  return source.open(start)
}

function sourceError(error: unknown): TargetError {
  if (TargetError.is(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new TargetError('ERR_TARGET_FAILED', `Cannot read what is to be stored: ${reason}`, { cause: error })
}

function wrongSize(size: number, given: string): TargetError {
  return new TargetError('ERR_TARGET_FAILED', `The source has ${given} bytes instead of ${size}.`)
}
