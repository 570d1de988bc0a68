import type { Lease, LeaseState } from './lease.js'

export interface HoldOptions {
  readonly lease: Lease
  /** Different for each process. */
  readonly owner: string
  /** An owner that shows no sign of life for this long loses the lease, in ms. */
  readonly leaseMs: number
  /** A monotonic clock, in ms. Default: that of the process. */
  readonly now?: (() => number) | undefined
}

/** The claim of one process on a lease. */
export interface Hold {
  /**
   * Takes the lease when it is free, or when its owner shows no sign of life; keeps it from then on. To be called again and
   * again while another process has it. Rejects when the database does not answer.
   *
   * @returns whether this process has it.
   */
  take(): Promise<boolean>
  /** Whether this process has it, without asking the database: no other process can have it yet. */
  isHeld(): boolean
  /** Number of the claim; every later one of any process has a higher one. */
  term(): number
  /** Aborted when this claim is lost. */
  readonly lost: AbortSignal
  /** Gives it to the next one. */
  release(): Promise<void>
}

/**
 * The owner changes the row again and again. Others take it when they have seen no change for `leaseMs`, measured by clocks
 * that only count: they need not agree on a time. The owner stops relying on it `leaseMs` after it started the last change
 * that succeeded, which is earlier.
 */
export function createHold({ lease, owner, leaseMs, now = () => performance.now() }: HoldOptions): Hold {
  let term: number | undefined
  let beat = 1
  let heldUntil = 0
  let lost = AbortSignal.abort()
  let lose = (): void => {}
  let expiry: NodeJS.Timeout | undefined
  let heart: NodeJS.Timeout | undefined
  let running: Promise<boolean> | undefined
  let seen: LeaseState | undefined
  let seenAt = 0

  return {
    take: () => (running ??= take().finally(() => (running = undefined))),
    isHeld,
    term: () => term ?? 0,
    get lost() {
      return lost
    },
    async release() {
      await running?.catch(() => {})
      if (term === undefined) return
      end()
      await lease.release(owner)
    },
  }

  function isHeld(): boolean {
    return term !== undefined && now() < heldUntil
  }

  async function take(): Promise<boolean> {
    if (term !== undefined && !isHeld()) end()
    if (term !== undefined) return true
    const state = await lease.read()
    if (state.owner !== '' && !isDead(state)) return false
    const began = now()
    const taken = await lease.take(owner, state)
    if (taken === undefined) return false
    const ending = new AbortController()
    lost = ending.signal
    lose = () => ending.abort()
    term = taken
    beat = 1
    extend(began)
    heart = setInterval(() => void renew().catch(() => {}), leaseMs / 3)
    heart.unref()
    return isHeld()
  }

  /** Whether its owner has been silent for long enough. */
  function isDead(state: LeaseState): boolean {
    const isSame = seen?.owner === state.owner && seen.beat === state.beat && seen.term === state.term
    if (!isSame) {
      seen = state
      seenAt = now()
    }
    return isSame && now() - seenAt >= leaseMs
  }

  /** A failure is nothing yet: the next one may succeed in time. */
  async function renew(): Promise<void> {
    const own = term
    if (own === undefined) return
    const began = now()
    const isMine = await lease.beat(owner, own, ++beat)
    if (term !== own) return
    if (isMine) extend(began)
    else end()
  }

  function extend(began: number): void {
    heldUntil = began + leaseMs
    awaitExpiry()
  }

  /** Timers may come a part of a millisecond too early. */
  function awaitExpiry(): void {
    clearTimeout(expiry)
    expiry = setTimeout(() => (isHeld() ? awaitExpiry() : end()), Math.max(0, Math.ceil(heldUntil - now())))
    expiry.unref()
  }

  function end(): void {
    term = undefined
    clearTimeout(expiry)
    clearInterval(heart)
    lose()
  }
}
