import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, toStoreError } from './errors.js'

/**
 * Locks of other processes are waited for without stopping this thread.
 * @throws StoreError `busy` when it takes longer than `timeoutMs`
 */
export async function retryWhileBusy<T>(timeoutMs: number, attempt: string, work: () => T): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > deadline) throw toStoreError(error, attempt)
    }
    await sleep(pauseMs)
  }
}
