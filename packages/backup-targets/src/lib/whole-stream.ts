import { Transform, type Readable } from 'node:stream'
import { lendOwn } from './lent.js'
import { linkStreams } from './link-streams.js'
import { TargetError } from './target-error.js'
import type { CallOptions } from './target.js'

export interface WholeStreamOptions extends CallOptions {
  /** Names the object in messages. */
  readonly key: string
  /** How many bytes must come. */
  readonly bytes: number
  /** Its chunks have no other user: those that have their memory for themselves are lent. Default: false. */
  readonly lends?: boolean
  /** What an error of the stream means. Default: ERR_TARGET_UNREACHABLE, unless it is a TargetError. */
  readonly translate?: (error: unknown) => unknown
}

/**
 * What `get` returns of a stream that a store sends: it fails when that ends early, in whatever way, or gives too much;
 * aborted, it fails with the signal's reason. Destroying it destroys the other.
 */
export function wholeStream(from: Readable, options: WholeStreamOptions): Readable {
  const { key, bytes, signal, lends = false, translate = unreachable } = options
  let left = bytes
  const wrong = () =>
    new TargetError('ERR_TARGET_DAMAGED', `Reading "${key}" gave ${bytes - left} bytes instead of ${bytes}.`)
  const whole = new Transform({
    // Loops get the chunks as they are, not joined.
    readableObjectMode: true,
    readableHighWaterMark: 4,
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(wrong())
      else done(null, lends ? lendOwn(chunk) : chunk)
    },
    flush(done) {
      done(left === 0 ? null : wrong())
    },
  })
  return linkStreams(from, whole, { signal, translate })

  function unreachable(error: unknown): unknown {
    if (TargetError.is(error)) return error
    const reason = error instanceof Error ? error.message : String(error)
    return new TargetError('ERR_TARGET_UNREACHABLE', `Reading "${key}" was cut: ${reason}`, { cause: error })
  }
}
