import { createHash, randomBytes } from 'node:crypto'

/** Tickets that are kept; more of them are abandoned. */
const most = 1000

export interface TicketsOptions {
  readonly lifeMs: number
  /** In ms; need not be the time of day. */
  readonly now?: () => number
}

/** Hands out tickets for what cannot prove itself otherwise; each holds once, and for a short time. */
export class Tickets<T> {
  readonly #options: Required<TicketsOptions>
  /** By their hash, oldest first. */
  readonly #known = new Map<string, { readonly value: T; readonly until: number }>()

  constructor(options: TicketsOptions) {
    this.#options = { now: () => performance.now(), ...options }
  }

  issue(value: T): string {
    const now = this.#options.now()
    for (const [hash, { until }] of this.#known) {
      if (until > now && this.#known.size < most) break
      this.#known.delete(hash)
    }
    const ticket = randomBytes(24).toString('base64url')
    this.#known.set(hashOf(ticket), { value, until: now + this.#options.lifeMs })
    return ticket
  }

  /** @returns undefined: it was never issued, was used, or is too old */
  redeem(ticket: string): T | undefined {
    const hash = hashOf(ticket)
    const found = this.#known.get(hash)
    this.#known.delete(hash)
    return found && found.until > this.#options.now() ? found.value : undefined
  }
}

/** Looking up a hash takes no longer for a ticket that is nearly right. */
function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64')
}
