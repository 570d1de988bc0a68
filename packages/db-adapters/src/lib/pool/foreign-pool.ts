import type { Caller, Release } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import { ConnectionShares } from './connection-shares.js'
import type { ServerConnection } from './connection.js'
import { closedError, type ConnectionSource } from './pool.js'

/** A connection of the application, for one use. */
export interface Borrowed<C> {
  readonly connection: C
  /** Puts its settings back, and gives it back; a connection that is not usable any more is taken out of the pool. Never rejects. */
  giveBack(): Promise<void>
}

/**
 * The application's own pool: each use takes a connection and gives it back, so that no one else waits for one that is idle
 * here.
 */
export class ForeignPool<C extends ServerConnection> implements ConnectionSource<C> {
  readonly #borrow: () => Promise<Borrowed<C>>
  readonly #timeoutMs: number
  readonly #shares: ConnectionShares | undefined
  readonly #used = new Map<C, Borrowed<C> & { readonly share: Release | undefined }>()
  #returning: Promise<void> = Promise.resolve()
  #closed: PromiseWithResolvers<void> | undefined

  /**
   * @param borrow waits as long as the pool lets it
   * @param max connections of the pool, which users share; undefined: not known
   */
  constructor(borrow: () => Promise<Borrowed<C>>, timeoutMs: number, max: number | undefined) {
    this.#borrow = borrow
    this.#timeoutMs = timeoutMs
    this.#shares = max === undefined ? undefined : new ConnectionShares(max, timeoutMs)
  }

  async take(caller: Caller = {}, isStream = false): Promise<C> {
    if (this.#closed) throw closedError()
    if (!caller.user || !this.#shares) return this.#take(undefined)
    return this.#take(await this.#shares.take(caller.user, caller, isStream))
  }

  async #take(share: Release | undefined): Promise<C> {
    const borrowing = this.#borrow()
    const late = Promise.withResolvers<never>()
    const text = `No connection of the application's pool in ${this.#timeoutMs} ms: all are in use, or connecting takes longer.`
    const timer = setTimeout(() => late.reject(new StoreError('overloaded', text)), this.#timeoutMs)
    try {
      const borrowed = await Promise.race([borrowing, late.promise])
      this.#used.set(borrowed.connection, { ...borrowed, share })
      return borrowed.connection
    } catch (error) {
      share?.()
      // No caller waits for it any more.
      borrowing.then((borrowed) => borrowed.giveBack()).catch(() => {})
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  release(connection: C): void {
    const borrowed = this.#used.get(connection)
    if (!borrowed) return
    this.#used.delete(connection)
    const returned = borrowed.giveBack().then(() => borrowed.share?.())
    this.#returning = Promise.all([this.#returning, returned]).then(() => this.#checkClosed())
  }

  discardIdle(): void {}

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers()
      void this.#returning.then(() => this.#checkClosed())
    }
    return this.#closed.promise
  }

  #checkClosed(): void {
    if (this.#closed && this.#used.size === 0) this.#closed.resolve()
  }
}
