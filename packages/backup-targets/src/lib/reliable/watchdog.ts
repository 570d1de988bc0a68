/** Calls `onIdle` once, when nothing was heard for this long. */
export class Watchdog {
  readonly #onIdle: (idleMs: number) => void
  #timer: NodeJS.Timeout
  #idleMs: number
  /** Whether the other side is waited for. */
  isExcused: () => boolean = () => false

  constructor(idleMs: number, onIdle: (idleMs: number) => void) {
    this.#idleMs = idleMs
    this.#onIdle = onIdle
    this.#timer = this.#arm()
  }

  /** Something moved. */
  touch(): void {
    this.#timer.refresh()
  }

  /** From now on it may take this long. */
  allow(idleMs: number): void {
    clearTimeout(this.#timer)
    this.#idleMs = idleMs
    this.#timer = this.#arm()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.isExcused()) this.#timer.refresh()
      else this.#onIdle(this.#idleMs)
    }, this.#idleMs)
  }
}
