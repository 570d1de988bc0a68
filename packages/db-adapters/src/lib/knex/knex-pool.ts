import type { Caller, Release } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'
import type { Knex } from 'knex'
import { ConnectionShares } from '../pool/connection-shares.js'
import type { ServerConnection } from '../pool/connection.js'
import { closedError, type ConnectionSource } from '../pool/source.js'
import { PoolTimeline, type PoolEvents } from './pool-timeline.js'

/** Makes connections of an instance of knex ready for the store, and back again. */
export interface Sessions<C> {
  enter(raw: object): C | Promise<C>
  /** @throws when the connection is of no use to others any more */
  leave(connection: C): Promise<void> | undefined
  translateError(error: unknown): StoreError
}

export interface KnexPoolParts<C> {
  readonly knex: Knex
  readonly sessions: Sessions<C>
  /** Default: one of the instance's pool. */
  readonly timeline?: PoolTimeline | undefined
  /** Ends what the store has made, when it is closed. */
  readonly end: () => Promise<void>
}

/** The part of tarn that is used. A driver's own pool (`connectionPool` of knex) has nothing of it. */
interface Tarn extends PoolEvents {
  readonly max: number
  readonly acquireTimeoutMillis: number
  numUsed(): number
  numPendingAcquires(): number
}

/** A raw connection, as knex marks it. */
interface Marked {
  __knex__disposed?: unknown
}

/** How long a connection that is not used is kept from others who do not ask, in ms. */
const keepMs = 1_000

/**
 * The connections of an instance of knex, which users share. One that is released stays acquired, because acquiring costs
 * two timers and several promises, until others ask the pool for one, or it is not needed for a moment.
 */
export class KnexPool<C extends ServerConnection> implements ConnectionSource<C> {
  readonly #parts: KnexPoolParts<C>
  readonly #client: Knex.Client
  readonly #tarn: Tarn | undefined
  readonly #timeline: PoolTimeline | undefined
  readonly #idle: C[] = []
  readonly #shares: ConnectionShares | undefined
  /** What is returned with a connection, of those that users have. */
  readonly #held = new Map<C, Release>()
  /** Callers that have a connection or wait for one. */
  #callers = 0
  /** Fewest idle ones since the last look: that many were not needed. */
  #unneeded = 0
  #reaper: NodeJS.Timeout | undefined
  #closed: PromiseWithResolvers<void> | undefined
  #isEnding = false
  readonly #returning = new Set<Promise<void>>()
  readonly #yield = (): void => {
    const connection = this.#idle.shift()
    if (connection) this.#giveBack(connection)
  }
  readonly #yieldAll = (): void => {
    for (const connection of this.#idle.splice(0)) this.#giveBack(connection)
  }

  constructor(parts: KnexPoolParts<C>) {
    this.#parts = parts
    this.#client = parts.knex.client as Knex.Client
    const pool = this.#client.pool as Tarn | object
    this.#tarn = 'numPendingAcquires' in pool ? pool : undefined
    if (!this.#tarn) return
    this.#timeline = parts.timeline ?? new PoolTimeline(this.#tarn)
    this.#shares = new ConnectionShares(this.#tarn.max, this.#tarn.acquireTimeoutMillis)
    this.#tarn.on('acquireRequest', this.#yield)
    this.#tarn.on('poolDestroyRequest', this.#yieldAll)
  }

  take(caller: Caller = {}, isStream = false): C | Promise<C> {
    if (this.#closed) return Promise.reject(closedError())
    if (!caller.user || !this.#shares) {
      this.#callers++
      return this.#connect()
    }
    const share = this.#shares.take(caller.user, caller, isStream)
    this.#callers++
    return share instanceof Promise ? this.#connectLater(share) : this.#connectFor(share)
  }

  release(connection: C): void {
    const share = this.#held.get(connection)
    this.#held.delete(connection)
    if (this.#isUsable(connection) && !this.#closed && this.#tarn?.numPendingAcquires() === 0) {
      this.#idle.push(connection)
      this.#reaper ??= setInterval(() => this.#reap(), keepMs).unref()
    } else this.#giveBack(connection)
    this.#callers--
    share?.()
    this.#checkClosed()
  }

  discardIdle(): void {
    this.#timeline?.discard()
    this.#yieldAll()
    this.#unneeded = 0
  }

  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers()
    this.#checkClosed()
    return this.#closed.promise
  }

  async #connectLater(waiting: Promise<Release>): Promise<C> {
    let share: Release
    try {
      share = await waiting
    } catch (error) {
      this.#callers--
      this.#checkClosed()
      throw error
    }
    return this.#connectFor(share)
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
    for (;;) {
      const connection = this.#idle.pop()
      if (!connection) return this.#acquire()
      if (this.#idle.length < this.#unneeded) this.#unneeded = this.#idle.length
      if (connection.usable) return connection
      this.#giveBack(connection)
    }
  }

  async #acquire(): Promise<C> {
    let asked: number | undefined
    for (;;) {
      let raw: Marked | undefined
      try {
        const acquiring = this.#client.acquireConnection() as Promise<object>
        asked ??= this.#timeline?.asked ?? 0
        raw = await acquiring
        const connection = await this.#enter(raw)
        if (connection) return connection
      } catch (error) {
        const isRepeated = this.#mayRepeat(error, raw, asked ?? 0)
        if (raw) this.#drop(raw, error)
        if (isRepeated) continue
        this.#callers--
        this.#checkClosed()
        throw this.#refusal(error)
      }
    }
  }

  /** Gives a connection back that may be lost. One that comes again is taken: the pool does not know the mark. */
  async #enter(raw: Marked): Promise<C | undefined> {
    const mayBeLost = (): boolean => raw.__knex__disposed === undefined && this.#timeline?.isCurrent(raw) === false
    if (!mayBeLost()) {
      const connection = await this.#parts.sessions.enter(raw)
      if (!mayBeLost()) return connection
    }
    this.#drop(raw, 'Other connections were lost after it was opened.')
    return undefined
  }

  /** Whether the error is not of a connection that was opened for the caller. */
  #mayRepeat(error: unknown, raw: Marked | undefined, asked: number): boolean {
    if (!this.#timeline) return false
    if (!raw) return this.#timeline.isFailureBefore(error, asked)
    return raw.__knex__disposed === undefined && !this.#timeline.isOpenedSince(raw, asked)
  }

  #refusal(error: unknown): unknown {
    if (StoreError.is(error)) return error
    if (!this.#client.pool) {
      const text = 'The knex instance of the store was destroyed. Close the store first, then destroy its instance.'
      return new StoreError('unavailable', text, { cause: error })
    }
    const { name, code, message } = error as Error & { readonly code?: unknown }
    if (name !== 'KnexTimeoutError') {
      // What the pool says itself has no code.
      return code === undefined
        ? new StoreError('unavailable', message, { cause: error })
        : this.#parts.sessions.translateError(error)
    }
    const { max = 0, acquireTimeoutMillis: waitMs } = this.#tarn ?? {}
    const areInUse = !this.#tarn || this.#tarn.numUsed() >= max
    const why = areInUse
      ? `all ${max || ''} are in use. Shorten transactions, or raise "pool.max"`
      : 'connecting takes longer'
    const text = `No database connection${waitMs === undefined ? '' : ` in ${waitMs} ms`}: ${why}.`
    return new StoreError(areInUse ? 'overloaded' : 'unavailable', text, { cause: error })
  }

  #giveBack(connection: C): void {
    const { raw } = connection
    if (!this.#isUsable(connection)) {
      void connection.close()
      return this.#drop(raw, 'The connection is closed.')
    }
    const left = this.#parts.sessions.leave(connection)
    if (!left) return this.#release(raw)
    const returned = left
      .then(
        () => this.#release(raw),
        (error: unknown) => this.#drop(raw, error),
      )
      .finally(() => {
        this.#returning.delete(returned)
        this.#checkClosed()
      })
    this.#returning.add(returned)
  }

  #isUsable({ usable, raw }: C): boolean {
    return usable && this.#timeline?.isCurrent(raw) !== false
  }

  /** Gives a connection back that is of no use any more: the pool destroys it. */
  #drop(raw: Marked, reason: unknown): void {
    raw.__knex__disposed ??= reason
    this.#release(raw)
  }

  #release(raw: object): void {
    // The application may have destroyed its instance.
    if (this.#client.pool) void this.#client.releaseConnection(raw)
  }

  #reap(): void {
    for (const connection of this.#idle.splice(0, this.#unneeded)) this.#giveBack(connection)
    this.#unneeded = this.#idle.length
    if (this.#unneeded > 0) return
    clearInterval(this.#reaper)
    this.#reaper = undefined
  }

  #checkClosed(): void {
    if (!this.#closed || this.#isEnding || this.#callers > 0) return
    this.#yieldAll()
    if (this.#returning.size > 0) return
    this.#isEnding = true
    clearInterval(this.#reaper)
    this.#tarn?.removeListener('acquireRequest', this.#yield)
    this.#tarn?.removeListener('poolDestroyRequest', this.#yieldAll)
    this.#timeline?.end()
    this.#closed.resolve(this.#parts.end())
  }
}
