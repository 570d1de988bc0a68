import { StoreError } from '@steward/rest-core/errors'
import type { PoolLimits } from './options.js'

/** What a pool holds. */
export interface Poolable {
  /** False for ever once it was lost. */
  readonly usable: boolean
  /** Ends it, at once when it was lost. Never rejects. */
  close(): Promise<void>
}

/** Where requests get a connection from, and where they bring it back. */
export interface ConnectionSource<C> {
  /** One that is there already, without waiting for a promise. */
  take(): C | undefined
  /** @throws StoreError `unavailable` when none can be had in time. */
  acquire(): Promise<C>
  release(connection: C): void
  /** Closes idle connections, because they may be lost already. */
  discardIdle(): void
  /** Waits until all are brought back, and closes them. May be called twice. */
  close(): Promise<void>
}

interface Waiter<C> {
  readonly resolve: (connection: C) => void
  readonly reject: (reason: unknown) => void
  /** Counts up. */
  readonly number: number
  readonly timer: NodeJS.Timeout
}

/**
 * Connections, each serving one user at a time. The most recently used one is taken first, so that unused ones expire.
 *
 * Own code, because the drivers' pools and tarn behave differently when the server is away or all connections are in use,
 * and because each of them costs a timer and several promises per statement.
 */
export class ConnectionPool<C extends Poolable> implements ConnectionSource<C> {
  readonly #open: () => Promise<C>
  readonly #limits: PoolLimits
  readonly #idle: C[] = []
  readonly #waiting: Waiter<C>[] = []
  /** Connections that are there or being opened. */
  #size = 0
  #opening = 0
  /** Callers that had to wait, ever. */
  #waited = 0
  /** Fewest idle ones since the last look: that many were not needed. */
  #unneeded = 0
  #reaper: NodeJS.Timeout | undefined
  #closed: PromiseWithResolvers<void> | undefined
  readonly #ending: Promise<void>[] = []

  constructor(open: () => Promise<C>, limits: PoolLimits) {
    this.#open = open
    this.#limits = limits
  }

  /** Connections that are there or being opened. */
  get size(): number {
    return this.#size
  }

  take(): C | undefined {
    if (this.#closed) return undefined
    for (;;) {
      const connection = this.#idle.pop()
      if (!connection) return undefined
      if (this.#idle.length < this.#unneeded) this.#unneeded = this.#idle.length
      if (connection.usable) return connection
      this.#drop(connection)
    }
  }

  acquire(): Promise<C> {
    if (this.#closed) return Promise.reject(closedError())
    const idle = this.take()
    if (idle) return Promise.resolve(idle)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), this.#limits.acquireTimeoutMs)
      this.#waited += 1
      const waiter: Waiter<C> = { resolve, reject, number: this.#waited, timer }
      this.#waiting.push(waiter)
      this.#openMore()
    })
  }

  release(connection: C): void {
    if (connection.usable) this.#hand(connection)
    else {
      this.#drop(connection)
      this.#openMore()
    }
  }

  discardIdle(): void {
    for (const connection of this.#idle.splice(0)) this.#drop(connection)
    this.#unneeded = 0
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers()
      this.discardIdle()
      this.#checkClosed()
    }
    return this.#closed.promise
  }

  #openMore(): void {
    while (this.#opening < this.#waiting.length && this.#size < this.#limits.max) {
      this.#size++
      this.#opening++
      void this.#openOne(this.#waited)
    }
  }

  /** A failure is reported to a caller who waited when it started; for those who came later it is tried again. */
  async #openOne(lastWaiter: number): Promise<void> {
    try {
      const connection = await this.#open()
      this.#opening--
      this.#hand(connection)
    } catch (error) {
      this.#opening--
      this.#size--
      const [waiter] = this.#waiting
      if (waiter && waiter.number <= lastWaiter) {
        this.#waiting.shift()
        clearTimeout(waiter.timer)
        waiter.reject(error)
      }
      this.#openMore()
      this.#checkClosed()
    }
  }

  #hand(connection: C): void {
    const waiter = this.#waiting.shift()
    if (waiter) {
      clearTimeout(waiter.timer)
      waiter.resolve(connection)
    } else if (this.#closed) {
      this.#drop(connection)
    } else {
      this.#idle.push(connection)
      this.#reaper ??= setInterval(() => this.#reap(), this.#limits.idleTimeoutMs).unref()
    }
  }

  #drop(connection: C): void {
    this.#size--
    const ending = connection.close()
    if (this.#closed) this.#ending.push(ending)
    this.#checkClosed()
  }

  #reap(): void {
    for (const connection of this.#idle.splice(0, this.#unneeded)) this.#drop(connection)
    this.#unneeded = this.#idle.length
    if (this.#size === 0) this.#stopReaper()
  }

  #stopReaper(): void {
    clearInterval(this.#reaper)
    this.#reaper = undefined
  }

  #giveUp(waiter: Waiter<C>): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
    const { max, acquireTimeoutMs } = this.#limits
    const used = this.#size - this.#opening
    const why =
      used < max ? 'connecting takes longer' : `all ${max} are in use. Shorten transactions, or raise "pool.max"`
    waiter.reject(new StoreError('unavailable', `No database connection in ${acquireTimeoutMs} ms: ${why}.`))
    this.#checkClosed()
  }

  #checkClosed(): void {
    if (!this.#closed || this.#size > 0 || this.#waiting.length > 0) return
    this.#stopReaper()
    void Promise.all(this.#ending).then(() => this.#closed?.resolve())
  }
}

export function closedError(): StoreError {
  return new StoreError('unavailable', 'The store is closed.')
}
