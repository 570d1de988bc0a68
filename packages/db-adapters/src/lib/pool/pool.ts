import type { Caller, Release } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { ConnectionShares } from './connection-shares.js'
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
  /**
   * One that is there already, or the promise of one.
   *
   * @param caller Users share the connections; those without one get what is left, and a part that users never get.
   * @param isStream It is held for as long as the caller takes its rows.
   * @throws StoreError `unavailable` when none can be had in time, `overloaded` when all that this caller may have are in use
   */
  take(caller?: Caller, isStream?: boolean): C | Promise<C>
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
 * A pool of connections that users share. The connection used last is taken first, so that unused ones expire.
 *
 * Own code, because the drivers' pools and tarn behave differently when the server is away or all connections are in use,
 * and because each of them costs a timer and several promises per statement.
 */
export class ConnectionPool<C extends Poolable> implements ConnectionSource<C> {
  readonly #open: () => Promise<C>
  readonly #limits: PoolLimits
  readonly #idle: C[] = []
  readonly #waiting: Waiter<C>[] = []
  readonly #shares: ConnectionShares
  /** What is returned with a connection, of those that users have. */
  readonly #held = new Map<C, Release>()
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
    this.#shares = new ConnectionShares(limits.max, limits.acquireTimeoutMs)
  }

  /** Connections that are there or being opened. */
  get size(): number {
    return this.#size
  }

  take(caller: Caller = {}, isStream = false): C | Promise<C> {
    if (this.#closed) return Promise.reject(closedError())
    if (!caller.user) return this.#connect()
    const share = this.#shares.take(caller.user, caller, isStream)
    return share instanceof Promise ? this.#connectLater(share) : this.#connectFor(share)
  }

  release(connection: C): void {
    const share = this.#held.get(connection)
    this.#held.delete(connection)
    if (connection.usable) this.#hand(connection)
    else {
      this.#drop(connection)
      this.#openMore()
    }
    share?.()
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

  async #connectLater(waiting: Promise<Release>): Promise<C> {
    try {
      return await this.#connectFor(await waiting)
    } catch (error) {
      this.#checkClosed()
      throw error
    }
  }

  #connectFor(share: Release): C | Promise<C> {
    const connection = this.#connect()
    if (connection instanceof Promise) return this.#hold(connection, share)
    this.#held.set(connection, share)
    return connection
  }

  async #hold(opening: Promise<C>, share: Release): Promise<C> {
    try {
      const connection = await opening
      this.#held.set(connection, share)
      return connection
    } catch (error) {
      share()
      throw error
    }
  }

  #connect(): C | Promise<C> {
    return this.#takeIdle() ?? this.#wait()
  }

  #takeIdle(): C | undefined {
    for (;;) {
      const connection = this.#idle.pop()
      if (!connection) return undefined
      if (this.#idle.length < this.#unneeded) this.#unneeded = this.#idle.length
      if (connection.usable) return connection
      this.#drop(connection)
    }
  }

  #wait(): Promise<C> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), this.#limits.acquireTimeoutMs)
      this.#waited += 1
      const waiter: Waiter<C> = { resolve, reject, number: this.#waited, timer }
      this.#waiting.push(waiter)
      this.#openMore()
    })
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
    const areInUse = this.#size - this.#opening >= max
    const why = areInUse
      ? `all ${max} are in use. Shorten transactions, or raise "pool.max"`
      : 'connecting takes longer'
    const text = `No database connection in ${acquireTimeoutMs} ms: ${why}.`
    waiter.reject(new StoreError(areInUse ? 'overloaded' : 'unavailable', text))
    this.#checkClosed()
  }

  #checkClosed(): void {
    if (!this.#closed || this.#size > 0 || this.#waiting.length > 0 || this.#shares.waiting > 0) return
    this.#stopReaper()
    void Promise.all(this.#ending).then(() => this.#closed?.resolve())
  }
}

export function closedError(): StoreError {
  return new StoreError('unavailable', 'The store is closed.')
}
