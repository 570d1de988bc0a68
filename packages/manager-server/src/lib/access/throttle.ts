import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from './client-address.js'

const windowSeconds = 15 * 60
/** Wrong passwords from anywhere, as a multiple of those from one address. Not specified; chosen to bear a few forgetful people. */
const fromAnywhere = 10
/** Addresses that are remembered as those of people who came in. */
const mostKnown = 1000

export interface Attempt {
  readonly address: string
  /** Identifies a browser of an earlier login. */
  readonly device?: string | undefined
  /** Id of the user of this machine that it comes from. Undefined: from elsewhere, or not known. */
  readonly user?: number | undefined
}

export interface Throttle {
  /**
   * Tries a password, unless too many wrong ones came from there.
   *
   * Wrong ones are counted by address (of IPv6 by network), and all together; those of users of this machine by user alone,
   * so that an instance cannot lock the operator out. A browser of an earlier login has a count of its own instead of both,
   * and the second one does not hold for an address that a user has come in from: so guessing cannot lock the rightful user out. Each count starts again after 15 minutes, whatever
   * happens meanwhile.
   *
   * @param limit of one address; 0: none
   * @returns whether it is right; or for how many seconds no more tries from there are taken
   */
  attempt(attempt: Attempt, limit: number, isRight: () => boolean): Promise<boolean | { readonly waitSeconds: number }>
}

export function createThrottle(): Throttle {
  const known = new Set<string>()
  let counters = countersOf(0)
  // One after the other: right ones that come at the same time are counted for a moment, and must not add up.
  let last: Promise<unknown> = Promise.resolve()

  return {
    attempt(attempt, limit, isRight) {
      const turn = last.then(() => tryOne(attempt, limit, isRight))
      last = turn.catch(() => undefined)
      return turn
    },
  }

  async function tryOne(...[{ address, device, user }, limit, isRight]: Parameters<Throttle['attempt']>) {
    if (limit === 0) return isRight()
    if (limit !== counters.limit) counters = countersOf(limit)
    const network = user === undefined ? networkOf(address) : `${networkOf(address)} user ${user}`
    const { one, all } = counters
    const counts = [
      { counter: one, key: device === undefined ? `address ${network}` : `device ${device}` },
      ...(device === undefined && user === undefined && !known.has(network) ? [{ counter: all, key: 'anywhere' }] : []),
    ]
    const taken: typeof counts = []
    for (const count of counts) {
      const waitSeconds = await take(count.counter, count.key)
      if (waitSeconds !== undefined) {
        await giveBack(taken)
        return { waitSeconds }
      }
      taken.push(count)
    }
    if (!isRight()) return false
    await giveBack(taken)
    remember(network)
    return true
  }

  function remember(network: string): void {
    known.delete(network)
    known.add(network)
    if (known.size > mostKnown) known.delete(known.values().next().value as string)
  }
}

function countersOf(limit: number) {
  return {
    limit,
    one: new RateLimiterMemory({ points: limit, duration: windowSeconds }),
    all: new RateLimiterMemory({ points: limit * fromAnywhere, duration: windowSeconds }),
  }
}

/** @returns seconds to wait when there were too many */
async function take(counter: RateLimiterMemory, key: string): Promise<number | undefined> {
  try {
    await counter.consume(key)
    return undefined
  } catch (error) {
    if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1000))
    throw error
  }
}

async function giveBack(
  taken: readonly { readonly counter: RateLimiterMemory; readonly key: string }[],
): Promise<void> {
  for (const { counter, key } of taken) await counter.reward(key)
}
