import { RestError } from '../errors.js'
import { memoryLimits, type MemoryLimits } from './memory-limits.js'
import { Shares, type Refusal, type Release } from './shares.js'

export interface ByteBudgetOptions extends Partial<Pick<MemoryLimits, 'total' | 'perUser' | 'answer'>> {
  /** How long work waits for bytes that others have, in ms. Default 10,000. */
  readonly waitMs?: number | undefined
}

export interface ByteUseOptions {
  /** The most that it may hold. Default: the limit of an answer. */
  readonly most?: number
  /** The error beyond it. Default: one that asks for fewer fields or records. */
  readonly tooLarge?: (most: number) => Error
  /** Aborted when no caller waits any longer. */
  readonly signal?: AbortSignal | undefined
}

/** What is less is not worth counting. */
const uncounted = 64 * 2 ** 10
/** Bytes are taken in pieces of this size. */
const piece = 256 * 2 ** 10

/**
 * Bytes that answers, bodies and documents of requests hold in memory: each user has at most a part of them, and those
 * who wait take turns.
 *
 * @example
 * const use = budget.open(user, { signal })
 * try {
 *   await use.add(content.length)
 * } finally {
 *   use.release()
 * }
 */
export class ByteBudget {
  /** The most of one answer, in bytes. */
  readonly answer: number
  readonly #shares: Shares

  constructor(options: ByteBudgetOptions = {}) {
    const limits = memoryLimits()
    const { total = limits.total, perUser = Math.min(limits.perUser, total), waitMs = 10_000 } = options
    this.answer = Math.min(options.answer ?? limits.answer, perUser)
    this.#shares = new Shares({ total, perUser, waitMs, refuse })
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#shares.used
  }

  /** Bytes that a user holds now. */
  usedBy(user: string): number {
    return this.#shares.usedBy(user)
  }

  /** For one piece of work; holds nothing yet. */
  open(user: string, options?: ByteUseOptions): ByteUse {
    return new ByteUse(this.#shares, user, this.answer, options)
  }
}

/** What one piece of work holds in memory. */
export class ByteUse {
  readonly #shares: Shares
  readonly #user: string
  readonly #most: number
  readonly #options: ByteUseOptions
  #bytes = 0
  #taken = 0
  readonly #parts: { amount: number; readonly release: Release }[] = []
  #released = false

  /** @param most The most that it may hold, unless the options say so. */
  constructor(shares: Shares, user: string, most: number, options: ByteUseOptions = {}) {
    this.#shares = shares
    this.#user = user
    this.#most = options.most ?? most
    this.#options = options
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes
  }

  /** The most that it may hold. */
  get most(): number {
    return this.#most
  }

  /**
   * Counts more bytes, before they are there where that is possible. Resolves when they may be.
   *
   * @throws RestError ERR_TOO_LARGE beyond its limit, ERR_UNAVAILABLE when others have them for too long.
   */
  add(bytes: number): void | Promise<void> {
    return this.hold(this.#bytes + bytes)
  }

  /** The same for a new number in all, which may be smaller. */
  hold(bytes: number): void | Promise<void> {
    const amount = this.#missing(bytes)
    const release = amount > 0 ? this.#shares.take(this.#user, { amount, signal: this.#options.signal }) : undefined
    if (!(release instanceof Promise)) return this.#keep(bytes, amount, release)
    return release.then((given) => this.#keep(bytes, amount, given))
  }

  /**
   * Counts more bytes without waiting, for work that others wait for.
   *
   * @throws RestError ERR_TOO_LARGE beyond its limit, ERR_UNAVAILABLE when they are not there now.
   */
  addNow(bytes: number): void {
    const wanted = this.#bytes + bytes
    const amount = this.#missing(wanted)
    const release = amount > 0 ? this.#shares.tryTake(this.#user, { amount }) : undefined
    if (amount > 0 && !release) throw refuse('slow')
    this.#keep(wanted, amount, release)
  }

  /** Gives everything back. May be called twice. */
  release(): void {
    this.#released = true
    this.#bytes = 0
    this.#shrink(0)
  }

  /** What has to be taken to hold that many bytes; gives back what is more. */
  #missing(bytes: number): number {
    const { tooLarge = answerTooLarge } = this.#options
    if (bytes > this.#most) throw tooLarge(this.#most)
    const wanted = bytes <= uncounted ? 0 : Math.ceil(bytes / piece) * piece
    this.#shrink(wanted)
    return wanted - this.#taken
  }

  #keep(bytes: number, amount: number, release: Release | undefined): void {
    // It ended while it waited.
    if (this.#released) return release?.()
    this.#bytes = bytes
    if (!release) return
    this.#taken += amount
    this.#parts.push({ amount, release })
  }

  #shrink(wanted: number): void {
    for (let last = this.#parts.at(-1); last && this.#taken > wanted; last = this.#parts.at(-1)) {
      const left = Math.max(0, last.amount - (this.#taken - wanted))
      this.#taken -= last.amount - left
      last.amount = left
      this.#shares.reduce(last.release, left)
      if (left === 0) this.#parts.pop()
    }
  }
}

let ofProcess: ByteBudget | undefined

/** The budget that everything in this process shares. */
export function processBudget(): ByteBudget {
  return (ofProcess ??= new ByteBudget())
}

const reasons: Readonly<Record<Refusal, string>> = {
  full: 'Too many of your requests wait for memory already',
  gone: 'The request was given up',
  slow: 'The memory for large answers and bodies is in use',
}

function refuse(reason: Refusal): RestError {
  return new RestError('ERR_UNAVAILABLE', `${reasons[reason]}; try again.`, { retryAfterSeconds: 5 })
}

function answerTooLarge(most: number): RestError {
  const size = most >= 2 ** 20 ? `${Math.floor(most / 2 ** 20)} MiB` : `${most} bytes`
  return new RestError(
    'ERR_TOO_LARGE',
    `The answer is larger than ${size}. Ask for fewer fields ("_fields") or fewer records.`,
  )
}
