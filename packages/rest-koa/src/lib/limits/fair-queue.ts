import { Shares, type Refusal, type Release } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'

export interface FairQueueOptions {
  /** Calls of all users that run at once. */
  readonly maxRunning: number
  /** Calls of one user that wait. */
  readonly maxWaitingPerUser: number
  /** How long a call waits, in ms. */
  readonly waitMs: number
}

/** How many calls of one user run at once. */
export interface UserLimits {
  readonly perObject: number
  readonly total: number
}

/** Places for running calls: every user has that many, in all and on each object, and users that wait take turns. */
export class FairQueue {
  readonly #places: Shares
  /** Running calls by user and object. */
  readonly #running = new Map<string, number>()

  constructor({ maxRunning, maxWaitingPerUser, waitMs }: FairQueueOptions) {
    this.#places = new Shares({ total: maxRunning, perUser: maxRunning, maxWaitingPerUser, waitMs, refuse })
  }

  /**
   * Takes a place for a call of a user on an object, at once when there is one.
   *
   * @param signal the call is not wanted any more: it leaves the queue.
   * @throws RestError ERR_UNAVAILABLE when too many wait already, or it waited for too long.
   */
  enter(
    user: string,
    object: string,
    { perObject, total }: UserLimits,
    signal: AbortSignal,
  ): Release | Promise<Release> {
    const key = JSON.stringify([user, object])
    const place = this.#places.take(user, {
      perUser: total,
      signal,
      mayStart: () => (this.#running.get(key) ?? 0) < perObject,
      onStart: () => void this.#running.set(key, (this.#running.get(key) ?? 0) + 1),
    })
    return place instanceof Promise ? place.then((release) => this.#leave(key, release)) : this.#leave(key, place)
  }

  #leave(key: string, release: Release): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const left = (this.#running.get(key) ?? 1) - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
      release()
    }
  }
}

const reasons: Readonly<Record<Refusal, string>> = {
  full: 'Too many of your calls are waiting already',
  gone: 'The call was given up',
  slow: 'Your other calls took too long',
}

function refuse(reason: Refusal): RestError {
  return new RestError('ERR_UNAVAILABLE', `${reasons[reason]}; try again.`, { retryAfterSeconds: 5 })
}
