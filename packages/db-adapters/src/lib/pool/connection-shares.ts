import { Shares, type Caller, type Release } from '@steward/rest-core'
import { StoreError } from '@steward/rest-core/errors'

/** How many connections of a pool are for what, at the same time. */
export interface ConnectionParts {
  /** For all users together; the others are left for statements of no user: log-ins, rights, health. */
  readonly users: number
  readonly perUser: number
  /** Searches that hold a connection for as long as their rows are taken. */
  readonly streams: number
  readonly streamsPerUser: number
}

/**
 * A user with streams in all of their places still gets a connection besides, because what takes the rows may read or
 * write for each of them. So do all users together.
 */
export function connectionParts(max: number): ConnectionParts {
  if (max <= 2) return { users: max, perUser: max, streams: 1, streamsPerUser: 1 }
  const perUser = Math.max(2, max - 2)
  const streams = Math.floor(max / 2)
  return { users: max - 1, perUser, streams, streamsPerUser: Math.max(1, Math.min(streams, perUser) - 1) }
}

/** Statements of one user that wait for a connection. Not specified; chosen as for waiting calls of the object pool. */
const mostWaiting = 100

/** Shares the connections of a pool between users. */
export class ConnectionShares {
  readonly #users: Shares
  readonly #streams: Shares

  constructor(max: number, waitMs: number) {
    const { users, perUser, streams, streamsPerUser } = connectionParts(max)
    const shares = (what: string, total: number, most: number): Shares =>
      new Shares({
        total,
        perUser: most,
        maxWaitingPerUser: mostWaiting,
        waitMs,
        refuse: (reason) => {
          if (reason === 'gone') return new StoreError('timeout', 'The caller no longer waits for a connection.')
          const why =
            reason === 'full'
              ? `${mostWaiting} ${what} of this user wait already`
              : `none was free for ${what} of this user in ${waitMs} ms; one user gets ${most} of ${max}, all users together ${total}`
          return new StoreError(
            'overloaded',
            `No database connection: ${why}. Send fewer requests, or raise "pool.max".`,
          )
        },
      })
    this.#users = shares('statements', users, perUser)
    this.#streams = shares('streamed searches', streams, streamsPerUser)
  }

  /** @throws StoreError `overloaded`, or `timeout` when the caller has gone */
  take(user: string, { signal }: Caller, isStream: boolean): Release | Promise<Release> {
    return isStream ? this.#takeBoth(user, signal) : this.#users.take(user, { signal })
  }

  async #takeBoth(user: string, signal: AbortSignal | undefined): Promise<Release> {
    const stream = await this.#streams.take(user, { signal })
    try {
      const place = await this.#users.take(user, { signal })
      return () => {
        place()
        stream()
      }
    } catch (error) {
      stream()
      throw error
    }
  }
}
