/** When failed calls of webhooks are made again, and when they are given up. */
export interface WebhookRetry {
  /** After the first failure, in ms; each further wait is three times as long, up to 8 hours, more or less a fifth. Default 5,000. */
  readonly firstDelayMs: number
  /** Attempts until a delivery is given up. Default 11, which takes about 20 hours. */
  readonly attempts: number
  /** Attempts for which the deliveries after it wait, to keep their order. Default 5, which takes about 3 minutes. */
  readonly orderedAttempts: number
  /** A webhook with nothing but failures for that many days, and at least `attempts` of them, is switched off. Default 3. */
  readonly offAfterDays: number
}

/** Not specified; chosen so that a receiver may be away for a night, and one that is permanently gone costs little. */
export const standardRetry: WebhookRetry = { firstDelayMs: 5000, attempts: 11, orderedAttempts: 5, offAfterDays: 3 }

const longestMs = 8 * 3_600_000

/** Ms until the next attempt, after that many failed ones; at random, so that many do not come back at once. */
export function retryDelay(attempts: number, { firstDelayMs }: WebhookRetry): number {
  const delay = Math.min(longestMs, firstDelayMs * 3 ** (attempts - 1))
  return Math.round(delay * (0.8 + Math.random() * 0.4))
}
