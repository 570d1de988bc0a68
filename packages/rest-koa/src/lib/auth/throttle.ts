import { hash } from 'node:crypto'
import { RestError } from '@steward/rest-core/errors'
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../http/client-address.js'

/** How many wrong passwords there may be within a time. */
export interface FailureLimit {
  readonly failures: number
  readonly seconds: number
}

export interface ThrottleOptions {
  /** For one login from one address. Default 10 in 5 minutes. */
  readonly perLoginAndAddress?: FailureLimit
  /** For one address, whatever the logins. Default 50 in 5 minutes. */
  readonly perAddress?: FailureLimit
  /** For one login from all addresses together; addresses from which it was right before do not count. Default 100 in 5 minutes. */
  readonly perLogin?: FailureLimit
}

/** A running check of a password. */
export interface Attempt {
  /** It was right: forgets the failures of this login at this address. */
  succeeded(): Promise<void>
  /** It could not be checked: it counts as if it had not been. */
  undone(): Promise<void>
}

const mostKnown = 10_000

/**
 * Slows down guessing of passwords. Every attempt counts before its check, so that many at once do not slip through.
 *
 * Not specified; chosen so that one user cannot lock out another: the narrow limit is per login *and* address; the limit
 * per login over all addresses stops guessing from many machines, and then still lets in the addresses from which the
 * login was used with success since the start. An IPv6 client counts by its network of 64 bits.
 */
export function createThrottle(options: ThrottleOptions = {}): {
  attempt(login: string, address: string): Promise<Attempt>
} {
  let limiters: ReturnType<typeof createLimiters> | undefined
  const known = new Set<string>()

  return { attempt }

  async function attempt(login: string, address: string): Promise<Attempt> {
    const { pairs, addresses, logins, isRefusal } = await (limiters ??= createLimiters(options))
    const place = networkOf(address)
    const pair = keyOf(`${login}\n${place}`)
    const counted: { limiter: RateLimiterMemory; key: string }[] = []
    const undone = async (): Promise<void> => {
      for (const { limiter, key } of counted) await limiter.reward(key)
    }
    try {
      await count(pairs, pair)
      await count(addresses, place)
      if (!known.has(pair)) await count(logins, keyOf(login))
    } catch (error) {
      await undone()
      throw isRefusal(error) ? tooMany(error) : error
    }
    return { succeeded, undone }

    async function count(limiter: RateLimiterMemory, key: string): Promise<void> {
      await limiter.consume(key)
      counted.push({ limiter, key })
    }

    async function succeeded(): Promise<void> {
      await undone()
      await pairs.delete(pair)
      known.delete(pair)
      known.add(pair)
      const [oldest] = known
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
    }
  }
}

/** Loaded with the first attempt, which many servers wait for a long time. */
async function createLimiters({
  perLoginAndAddress = { failures: 10, seconds: 300 },
  perAddress = { failures: 50, seconds: 300 },
  perLogin = { failures: 100, seconds: 300 },
}: ThrottleOptions) {
  const { RateLimiterMemory: Limiter, RateLimiterRes: Refusal } = await import('rate-limiter-flexible')
  const limiter = ({ failures, seconds }: FailureLimit) => new Limiter({ points: failures, duration: seconds })
  return {
    pairs: limiter(perLoginAndAddress),
    addresses: limiter(perAddress),
    logins: limiter(perLogin),
    isRefusal: (error: unknown): error is RateLimiterRes => error instanceof Refusal,
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes): RestError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000))
  return new RestError('ERR_TOO_MANY', `Too many wrong logins; try again in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  })
}

/** Keys of one short length, whatever was sent. */
function keyOf(text: string): string {
  return hash('sha256', text, 'base64url')
}
