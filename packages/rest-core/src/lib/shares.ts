import { Turns } from './turns.js'

export interface SharesOptions {
  /** How much there is: places, connections, bytes. */
  readonly total: number
  /** The most that one user has at the same time. */
  readonly perUser: number
  /** Requests of one user that wait, beyond which they are refused. Default 100. */
  readonly maxWaitingPerUser?: number
  /** How long a request waits, in ms. */
  readonly waitMs: number
  /** Makes the error of a request that is refused. */
  readonly refuse: (reason: Refusal) => Error
}

/** Why a request got no share: too many of the user wait already, it waited too long, or its caller has gone. */
export type Refusal = 'full' | 'slow' | 'gone'

export interface ShareRequest {
  /** Default 1. More than one user may have counts as that much, so that it fits when nothing else is taken. */
  readonly amount?: number
  /** The most for this user. Default: as the options say. */
  readonly perUser?: number
  /** How long it waits, in ms; `Infinity`: for as long as it takes. Default: as the options say. */
  readonly waitMs?: number
  /** Aborted when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined
  /** What else must hold before the share is given; asked again whenever one is returned. */
  readonly mayStart?: () => boolean
  /** Called when the share is given, before anything else may start. */
  readonly onStart?: () => void
}

/** Returns a share. May be called twice. */
export type Release = () => void

interface Waiter {
  readonly amount: number
  readonly perUser: number
  mayStart(): boolean
  start(): void
  refuse(reason: Refusal): void
}

/**
 * Something scarce that users share: each has at most a part of it at the same time, and those who wait for it take
 * turns. Nothing overtakes a request that only waits until enough is returned.
 */
export class Shares {
  readonly #options: Required<SharesOptions>
  readonly #used = new Map<string, number>()
  readonly #waiting = new Turns<Waiter>()
  readonly #given = new WeakMap<Release, { readonly user: string; amount: number }>()
  #total = 0
  #waits = 0

  constructor(options: SharesOptions) {
    this.#options = { maxWaitingPerUser: 100, ...options }
  }

  /** How much all users have now. */
  get used(): number {
    return this.#total
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.#waits
  }

  /** How much a user has now. */
  usedBy(user: string): number {
    return this.#used.get(user) ?? 0
  }

  /**
   * Takes a share, immediately when there is enough.
   *
   * @param user the same for all requests of one user
   * @throws what `refuse` makes
   */
  take(user: string, request: ShareRequest = {}): Release | Promise<Release> {
    const { maxWaitingPerUser, refuse } = this.#options
    const { waitMs = this.#options.waitMs, signal } = request
    if (signal?.aborted) throw refuse('gone')
    const given = this.tryTake(user, request)
    if (given) return given
    const { amount, perUser, mayStart, give } = this.#prepare(user, request)
    if (this.#waiting.countOf(user) >= maxWaitingPerUser) throw refuse('full')
    return new Promise((resolve, reject) => {
      const gone = (): void => waiter.refuse('gone')
      const timer = waitMs === Infinity ? undefined : setTimeout(() => waiter.refuse('slow'), waitMs)
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', gone)
        this.#waits--
      }
      const waiter: Waiter = {
        amount,
        perUser,
        mayStart,
        start: () => {
          end()
          resolve(give())
        },
        refuse: (reason) => {
          end()
          this.#waiting.delete(user, waiter)
          reject(refuse(reason))
          // It may have been the one that kept others waiting.
          this.#startWaiting()
        },
      }
      this.#waits++
      this.#waiting.add(user, waiter)
      signal?.addEventListener('abort', gone)
    })
  }

  /** Takes a share when there is enough now; undefined: it would have to wait. */
  tryTake(user: string, request: ShareRequest = {}): Release | undefined {
    const { amount, perUser, mayStart, give } = this.#prepare(user, request)
    const mustWait = this.#waits > 0 && this.#isBlocked()
    return !mustWait && this.#hasRoom(user, amount, perUser) && mayStart() ? give() : undefined
  }

  #prepare(user: string, request: ShareRequest) {
    const { perUser = this.#options.perUser, mayStart = () => true, onStart } = request
    const amount = Math.min(request.amount ?? 1, perUser, this.#options.total)
    const give = (): Release => {
      onStart?.()
      return this.#give(user, amount)
    }
    return { amount, perUser, mayStart, give }
  }

  /** Returns a share but for this much, which `release` returns later. */
  reduce(release: Release, amount: number): void {
    const share = this.#given.get(release)
    if (!share || share.amount <= amount) return
    const part = share.amount - amount
    share.amount = amount
    this.#return(share.user, part)
  }

  /** Refuses all that waits, as it is closed. */
  close(): void {
    for (const waiter of this.#waiting.clear()) waiter.refuse('gone')
  }

  /** Whether a request waits only until others return what they have. */
  #isBlocked(): boolean {
    let isBlocked = false
    this.#waiting.take((waiter, user) => {
      isBlocked ||= this.#waitsForOthers(waiter, user)
      return false
    })
    return isBlocked
  }

  #waitsForOthers({ amount, perUser, mayStart }: Waiter, user: string): boolean {
    return this.usedBy(user) + amount <= perUser && this.#total + amount > this.#options.total && mayStart()
  }

  #hasRoom(user: string, amount: number, perUser: number): boolean {
    return this.#total + amount <= this.#options.total && this.usedBy(user) + amount <= perUser
  }

  #give(user: string, amount: number): Release {
    this.#total += amount
    this.#used.set(user, this.usedBy(user) + amount)
    const release: Release = () => this.reduce(release, 0)
    this.#given.set(release, { user, amount })
    return release
  }

  #return(user: string, amount: number): void {
    this.#total -= amount
    const left = this.usedBy(user) - amount
    if (left > 0) this.#used.set(user, left)
    else this.#used.delete(user)
    this.#startWaiting()
  }

  #startWaiting(): void {
    for (;;) {
      let isBlocked = false
      const next = this.#waiting.take((waiter, user) => {
        if (isBlocked) return false
        if (this.#hasRoom(user, waiter.amount, waiter.perUser) && waiter.mayStart()) return true
        isBlocked = this.#waitsForOthers(waiter, user)
        return false
      })
      if (!next) return
      next.start()
    }
  }
}
