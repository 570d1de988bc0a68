import { StoreError } from '@steward/rest-core/errors'

interface Waiter {
  grant(): void
}

/** Admits one writer at a time, in the order of arrival. */
export class WriteLock {
  #held = false
  readonly #waiting = new Set<Waiter>()

  get isFree(): boolean {
    return !this.#held
  }

  /**
   * Resolves when it is this caller's turn, who must `release` then.
   * @param timeoutMs `Infinity`: wait for as long as it takes.
   * @throws StoreError `busy` when it takes longer
   */
  async acquire(timeoutMs: number): Promise<void> {
    if (!this.#held) {
      this.#held = true
      return
    }
    await new Promise<void>((resolve, reject) => {
      const timer = timeoutMs === Infinity ? undefined : setTimeout(expire, timeoutMs)
      const waiter: Waiter = {
        grant: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const waiting = this.#waiting.add(waiter)
      function expire(): void {
        waiting.delete(waiter)
        reject(
          new StoreError(
            'busy',
            `Cannot write: other transactions did not end within ${timeoutMs} ms. Try again, or raise busyTimeoutMs.`,
          ),
        )
      }
    })
  }

  release(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#held = false
      return
    }
    this.#waiting.delete(next)
    next.grant()
  }
}
