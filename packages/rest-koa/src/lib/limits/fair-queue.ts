import { Turns } from '@steward/rest-core'
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

interface Waiter {
  readonly user: User
  readonly object: string
  start(): void
}

interface User {
  limits: UserLimits
  running: number
  readonly perObject: Map<string, number>
}

/** Ends the use of a place. */
export type Release = () => void

/** Places for running calls: every user has that many, and users that wait for one take turns. */
export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #users = new Map<string, User>()
  readonly #waiting = new Turns<Waiter>()
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /**
   * Takes a place for a call of a user on an object, at once when there is one.
   *
   * @param signal the call is not wanted any more: it leaves the queue.
   * @throws RestError ERR_UNAVAILABLE when too many wait already, or it waited for too long.
   */
  enter(name: string, object: string, limits: UserLimits, signal: AbortSignal): Release | Promise<Release> {
    const user = this.#userOf(name, limits)
    if (this.#hasPlace(user, object)) return this.#start(name, user, object)
    if (this.#waiting.countOf(name) >= this.#options.maxWaitingPerUser)
      throw busy('Too many of your calls are waiting already')
    return new Promise((resolve, reject) => {
      const leave = (reason: string): void => {
        end()
        reject(busy(reason))
      }
      const gone = (): void => leave('The call was given up')
      const timer = setTimeout(() => leave('Your other calls took too long'), this.#options.waitMs)
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', gone)
        this.#waiting.delete(name, waiter)
        this.#forget(name, user)
      }
      const waiter: Waiter = {
        user,
        object,
        start: () => {
          resolve(this.#start(name, user, object))
          end()
        },
      }
      this.#waiting.add(name, waiter)
      signal.addEventListener('abort', gone)
      if (signal.aborted) gone()
    })
  }

  #userOf(name: string, limits: UserLimits): User {
    let user = this.#users.get(name)
    if (!user) this.#users.set(name, (user = { limits, running: 0, perObject: new Map() }))
    user.limits = limits
    return user
  }

  /** Waiting calls were considered when a place became free, so a call that finds one overtakes none that could take it. */
  #hasPlace({ limits, running, perObject }: User, object: string): boolean {
    return (
      this.#running < this.#options.maxRunning &&
      running < limits.total &&
      (perObject.get(object) ?? 0) < limits.perObject
    )
  }

  #start(name: string, user: User, object: string): Release {
    this.#running++
    user.running++
    user.perObject.set(object, (user.perObject.get(object) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#running--
      user.running--
      const left = (user.perObject.get(object) ?? 1) - 1
      if (left > 0) user.perObject.set(object, left)
      else user.perObject.delete(object)
      this.#forget(name, user)
      this.#startWaiting()
    }
  }

  #startWaiting(): void {
    const mayStart = ({ user, object }: Waiter): boolean => this.#hasPlace(user, object)
    for (let next = this.#waiting.take(mayStart); next; next = this.#waiting.take(mayStart)) next.start()
  }

  #forget(name: string, user: User): void {
    if (user.running === 0 && this.#waiting.countOf(name) === 0 && this.#users.get(name) === user)
      this.#users.delete(name)
  }
}

function busy(reason: string): RestError {
  return new RestError('ERR_UNAVAILABLE', `${reason}; try again.`, { retryAfterSeconds: 5 })
}
