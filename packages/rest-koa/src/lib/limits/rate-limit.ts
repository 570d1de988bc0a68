import type { Principal } from '@steward/rest-core'
import { RestError } from '@steward/rest-core/errors'
import type { Context } from 'koa'
import type { RateLimiterRes } from 'rate-limiter-flexible'
import { createClientAddress, networkOf } from '../http/client-address.js'
import type { TrustProxy } from '../http/client-address.js'

export interface RateLimitOptions {
  /** Most requests of one user, or of one address without credentials, in `seconds`. */
  readonly requests: number
  readonly seconds: number
  /** Proxies that are believed about the client's address. Default: none. */
  readonly trustProxy?: TrustProxy
}

/**
 * Counts a request and reports in headers how many are left.
 *
 * @throws RestError ERR_TOO_MANY
 */
export type RateLimit = (context: Context, principal: Principal) => Promise<void>

/** Counts in the memory of this process, in windows of fixed length. @throws TypeError for numbers that cannot be. */
export function createRateLimit({ requests, seconds, trustProxy }: RateLimitOptions): RateLimit {
  if (!(Number.isInteger(requests) && requests >= 1) || !(seconds > 0))
    throw new TypeError(`rateLimit is ${requests} requests in ${seconds} seconds; give numbers from 1 on.`)
  const client = createClientAddress(trustProxy)
  const load = async () => {
    const { RateLimiterMemory, RateLimiterRes: Refusal } = await import('rate-limiter-flexible')
    return { limiter: new RateLimiterMemory({ points: requests, duration: seconds }), Refusal }
  }
  let loaded: ReturnType<typeof load> | undefined

  return async (context, { userId, login }) => {
    const isAnonymous = context.state['anonymous'] === true
    const key = isAnonymous ? `address ${networkOf(client.of(context.req))}` : `user ${userId || login}`
    const { limiter, Refusal } = await (loaded ??= load())
    try {
      tell(context, await limiter.consume(key))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      tell(context, error)
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw new RestError(
        'ERR_TOO_MANY',
        `More than ${requests} requests in ${seconds} seconds; try again in ${retryAfterSeconds} seconds.`,
        { retryAfterSeconds },
      )
    }
  }

  /** Source: draft-ietf-httpapi-ratelimit-headers-07, section 2; names that clients know. */
  function tell(context: Context, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
    context.set('RateLimit-Limit', `${requests}`)
    context.set('RateLimit-Remaining', `${Math.max(0, remainingPoints)}`)
    context.set('RateLimit-Reset', `${Math.ceil(msBeforeNext / 1000)}`)
    context.set('RateLimit-Policy', `${requests};w=${seconds}`)
  }
}
