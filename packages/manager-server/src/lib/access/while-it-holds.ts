import type { Principal } from './principal.js'

/** How often is looked, in ms. */
const everyMs = 5000

/**
 * For what stays open after its request was authenticated, such as a stream or a terminal: aborted when what proved the
 * caller holds no longer, because it was revoked, has expired, or the password was changed.
 *
 * @param over aborted when nothing is open any more
 */
export function whileItHolds({ holds }: Pick<Principal, 'holds'>, over: AbortSignal, lookMs = everyMs): AbortSignal {
  if (over.aborted) return over
  const ended = new AbortController()
  const timer = setInterval(() => {
    try {
      if (!holds()) ended.abort(new Error('What the caller signed in with no longer holds.'))
    } catch {
      // It cannot be read now: the next look may.
    }
  }, lookMs)
  timer.unref()
  const stop = () => clearInterval(timer)
  for (const signal of [over, ended.signal]) signal.addEventListener('abort', stop, { once: true })
  return AbortSignal.any([over, ended.signal])
}
