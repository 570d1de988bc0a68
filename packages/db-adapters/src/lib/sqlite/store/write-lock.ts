import { Shares, type Refusal } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'

/**
 * Admits one writer at a time. Users who wait take turns; what one user waits for keeps its order.
 *
 * @param timeoutMs how long a writer waits, unless it says so. Then it is `busy`; `timeout` when its caller has gone
 */
export function createWriteLock(timeoutMs: number): Shares {
  const refuse = (reason: Refusal): StoreError => (reason === 'gone' ? gone() : busy(timeoutMs))
  return new Shares({ total: 1, perUser: 1, maxWaitingPerUser: Infinity, waitMs: timeoutMs, refuse })
}

function busy(timeoutMs: number): StoreError {
  return new StoreError(
    'busy',
    `Cannot write: other transactions did not end within ${timeoutMs} ms. Try again, or raise busyTimeoutMs.`,
  )
}

function gone(): StoreError {
  return new StoreError('timeout', 'Cannot write: the caller no longer waits.')
}
