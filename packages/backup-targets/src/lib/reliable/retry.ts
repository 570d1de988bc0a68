import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import { TargetError } from '../target-error.js'
import { Watchdog } from './watchdog.js'

export interface RetryPolicy {
  readonly attempts: number
  readonly minPauseMs: number
  readonly maxPauseMs: number
  readonly idleMs: number
  readonly onRetry?: (retry: {
    readonly error: TargetError
    readonly attempt: number
    readonly pauseMs: number
  }) => void
}

export interface RetryAttempt {
  /** Follows the caller's, and aborts when nothing moves. */
  readonly signal: AbortSignal
  readonly watchdog: Watchdog
}

/** A call that is asked to wait longer than that many of the longest pauses gives up. */
const longestWait = 10

/** What an aborted attempt may take to remove what it started: parts of an upload cost money. */
const longestTidyingMs = 5000

/**
 * Does something until it succeeds, fails for good, or was tried often enough. An attempt in which nothing moves for
 * `idleMs` is aborted; one that does not hear is left alone.
 */
export function retry<T>(
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  work: (attempt: RetryAttempt) => Promise<T>,
): Promise<T> {
  const { attempts, minPauseMs, maxPauseMs, idleMs, onRetry } = policy
  return pRetry(() => attempt(idleMs, signal, work), {
    retries: attempts - 1,
    minTimeout: minPauseMs,
    maxTimeout: maxPauseMs,
    factor: 2,
    randomize: true,
    signal,
    async shouldRetry({ error, attemptNumber, retryDelay }) {
      if (!TargetError.is(error) || !error.transient) return false
      const pauseMs = Math.max(retryDelay, error.retryAfterMs ?? 0)
      if (pauseMs > longestWait * maxPauseMs) return false
      onRetry?.({ error, attempt: attemptNumber, pauseMs })
      if (pauseMs > retryDelay) await sleep(pauseMs - retryDelay, undefined, { signal }).catch(() => {})
      return true
    },
  })
}

async function attempt<T>(
  idleMs: number,
  outer: AbortSignal | undefined,
  work: (attempt: RetryAttempt) => Promise<T>,
): Promise<T> {
  const idle = new AbortController()
  const signal = outer ? AbortSignal.any([outer, idle.signal]) : idle.signal
  const watchdog = new Watchdog(idleMs, (ms) =>
    idle.abort(new TargetError('ERR_TARGET_UNREACHABLE', `Nothing moved for ${ms / 1000} s.`)),
  )
  try {
    return await settled(work({ signal, watchdog }), signal, Math.min(longestTidyingMs, idleMs / 10))
  } finally {
    watchdog.end()
  }
}

/** The outcome of an attempt; once it is aborted, its reason, as soon as it has tidied up or the time for that is over. */
async function settled<T>(work: Promise<T>, signal: AbortSignal, tidyingMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = Promise.withResolvers<never>()
  const abort = () => (timer = setTimeout(late.reject, tidyingMs, signal.reason))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, late.promise])
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    // Aborted after its end, too, as streams are: a timer would keep the process.
    signal.removeEventListener('abort', abort)
    clearTimeout(timer)
  }
}
