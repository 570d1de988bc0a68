import type { BackupTarget, CallOptions } from '../target.js'
import type { TargetError } from '../target-error.js'
import { download } from './download.js'
import { createLimit, type Limit } from './limit.js'
import { retry, type RetryPolicy } from './retry.js'
import { upload } from './upload.js'

export interface ReliableOptions {
  /** Attempts per call, the first one counted. Default: 5. */
  readonly attempts?: number
  /** Pause before the second attempt, doubled with each one, and mixed with chance; ms. Default: 500 … 30,000. */
  readonly minPauseMs?: number
  readonly maxPauseMs?: number
  /**
   * A call in which no byte moves for this long is ended and retried; ms. Waiting for the source or for the reader
   * does not count. A store may take ten times as long to end an upload, thirty times for `hash` and `sweep`. Default:
   * 60,000.
   */
  readonly idleMs?: number
  /** Limit of all transfers together; one of `createLimit` holds for all targets that have it. Default: none. */
  readonly bytesPerSecond?: number | Limit | undefined
  /** Called before each pause. */
  readonly onRetry?: (retry: {
    readonly error: TargetError
    readonly attempt: number
    readonly pauseMs: number
  }) => void
}

/**
 * A target whose calls are tried again after transient failures: uploads that have an `upload` continue where they were cut
 * when the target can resume, and streams of `get` at the byte that is missing. A source that can be opened once only is
 * not tried again. A store that asks to come back later is obeyed, up to ten times `maxPauseMs`. Progress never goes back.
 */
export function reliable(target: BackupTarget, options: ReliableOptions = {}): BackupTarget {
  const { attempts = 5, minPauseMs = 500, maxPauseMs = 30_000, idleMs = 60_000, bytesPerSecond, onRetry } = options
  const policy: RetryPolicy = { attempts, minPauseMs, maxPauseMs, idleMs, onRetry }
  const slow: RetryPolicy = { ...policy, idleMs: 30 * idleMs }
  const limit = typeof bytesPerSecond === 'number' ? limitOf(bytesPerSecond) : bytesPerSecond
  const call = <Options extends CallOptions, T>(
    given: Options,
    work: (given: Options) => Promise<T>,
    how: RetryPolicy = policy,
  ): Promise<T> => retry(how, given.signal, async ({ signal }) => work({ ...given, signal }))

  return {
    // Some know what they can do, and `hash`, only when they are connected.
    get capabilities() {
      return target.capabilities
    },
    put: (key, source, given = {}) => upload(target, key, source, given, policy, limit),
    get: (key, given = {}) => download(target, key, given, policy, limit),
    stat: (key, given = {}) => call(given, (now) => target.stat(key, now)),
    list: (given = {}) => call(given, (now) => target.list(now)),
    delete: (key, given = {}) => call(given, (now) => target.delete(key, now)),
    get hash() {
      const hash = target.hash?.bind(target)
      return hash && ((key: string, given: CallOptions = {}) => call(given, (now) => hash(key, now), slow))
    },
    sweep: (given) => call(given, (now) => target.sweep(now), slow),
    close: () => target.close(),
  }
}

function limitOf(bytesPerSecond: number): Limit | undefined {
  return bytesPerSecond > 0 ? createLimit(bytesPerSecond) : undefined
}
