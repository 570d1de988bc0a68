import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import { abortable } from '../abortable.js'
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

export interface Attempt {
  /** The first one is 1. */
  readonly number: number
  /** Of the caller, and aborted when nothing moves. */
  readonly signal: AbortSignal
  readonly watchdog: Watchdog
}

/** Whoever is told to wait longer than so many of the longest pauses gives up. */
const longestWait = 10

/**
 * Does something until it succeeds, fails for good, or was tried often enough. An attempt in which nothing moves for
 * `idleMs` is aborted and left alone, also when it does not hear.
 */
export function retry<T>(
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { attempts, minPauseMs, maxPauseMs, idleMs, onRetry } = policy
  return pRetry((number) => attempt(idleMs, signal, (given) => work({ number, ...given })), {
    retries: attempts - 1,
    minTimeout: minPauseMs,
    maxTimeout: maxPauseMs,
    factor: 2,
    randomize: true,
    signal,
    async shouldRetry({ error, attemptNumber, retryDelay }) {
      if (!(error instanceof TargetError) || !error.transient) return false
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
  work: (attempt: Omit<Attempt, 'number'>) => Promise<T>,
): Promise<T> {
  const idle = new AbortController()
  const signal = outer ? AbortSignal.any([outer, idle.signal]) : idle.signal
  const watchdog = new Watchdog(idleMs, (ms) =>
    idle.abort(new TargetError('ERR_TARGET_UNREACHABLE', `Nothing moved for ${ms / 1000} s.`)),
  )
  try {
    return await abortable(work({ signal, watchdog }), signal)
  } finally {
    watchdog.end()
  }
}
