import { RestError } from '@steward/rest-core/errors'

export interface PasswordQueueOptions {
  /**
   * Passwords that are checked at the same time. A check keeps a thread busy for about 0.2 seconds; Node has four by
   * default (`UV_THREADPOOL_SIZE`), which also read files and look up host names. Default 2.
   */
  readonly concurrent?: number
  /** Checks that may wait for their turn; those that come then get 503 with `Retry-After`. Default 64. */
  readonly waiting?: number
}

/** Not specified; chosen as the time in which the default queue empties. */
const retryAfterSeconds = 6

/**
 * Runs work in the order it comes, a few at the same time.
 *
 * @throws TypeError for numbers that cannot be; the returned function RestError ERR_UNAVAILABLE when too many wait.
 */
export function createPasswordQueue({ concurrent = 2, waiting = 64 }: PasswordQueueOptions = {}): <T>(
  work: () => Promise<T>,
) => Promise<T> {
  if (!(concurrent >= 1)) throw new TypeError(`concurrent is ${concurrent}; give a number from 1 on.`)
  if (!(waiting >= 0)) throw new TypeError(`waiting is ${waiting}; give a number from 0 on.`)
  const starts: (() => void)[] = []
  let running = 0

  return async function inTurn(work) {
    if (running < concurrent) running++
    else await turn()
    try {
      return await work()
    } finally {
      // The next one takes over the place.
      const start = starts.shift()
      if (start) start()
      else running--
    }
  }

  function turn(): Promise<void> {
    if (starts.length >= waiting) {
      throw new RestError(
        'ERR_UNAVAILABLE',
        `Too many passwords are being checked; try again in ${retryAfterSeconds} seconds, or log in once and send the token.`,
        { retryAfterSeconds },
      )
    }
    return new Promise((start) => starts.push(start))
  }
}
