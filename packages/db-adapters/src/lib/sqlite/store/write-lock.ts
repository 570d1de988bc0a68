import { Turns, type Caller } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'

interface Waiter {
  grant(): void
}

/** Admits one writer at a time. Users who wait take turns; what one user waits for keeps its order. */
export class WriteLock {
  #held = false
  readonly #waiting = new Turns<Waiter>()

  get isFree(): boolean {
    return !this.#held
  }

  /**
   * Resolves when it is this caller's turn, who must `release` then.
   * @param timeoutMs `Infinity`: wait for as long as it takes.
   * @throws StoreError `busy` when it takes longer, `timeout` when the caller no longer waits
   */
  async acquire(timeoutMs: number, { user = '', signal }: Caller = {}): Promise<void> {
    if (signal?.aborted) throw gone()
    if (!this.#held) {
      this.#held = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        grant() {
          settle()
          resolve()
        },
      }
      const refuse = (error: StoreError): void => {
        settle()
        this.#waiting.delete(user, waiter)
        reject(error)
      }
      const timer = timeoutMs === Infinity ? undefined : setTimeout(() => refuse(busy(timeoutMs)), timeoutMs)
      const leave = (): void => refuse(gone())
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      signal?.addEventListener('abort', leave)
      this.#waiting.add(user, waiter)
    })
  }

  release(): void {
    const next = this.#waiting.take(() => true)
    if (next) next.grant()
    else this.#held = false
  }
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
