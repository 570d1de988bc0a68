import { TokenBucket } from 'limiter'

/** Takes bytes from the common allowance; resolves when they may move. */
export type Limit = (bytes: number, onGrant: () => void) => Promise<void>

/** What moves together at no more than that many bytes per second, and a tenth of a second's worth at once. */
export function createLimit(bytesPerSecond: number): Limit {
  const most = Math.max(1, Math.floor(bytesPerSecond / 10))
  const bucket = new TokenBucket({ bucketSize: most, tokensPerInterval: bytesPerSecond, interval: 'second' })
  return async (bytes, onGrant) => {
    for (let left = bytes; left > 0; left -= most) {
      await bucket.removeTokens(Math.min(left, most))
      onGrant()
    }
  }
}
