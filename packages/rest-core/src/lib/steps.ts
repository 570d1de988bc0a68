import { setImmediate as turn } from 'node:timers/promises'

/** Long work in short steps: at each `yield`, others may have their turn. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Does all of it now, while others wait. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Lets everything else that this process has to do come between two steps.
 *
 * @param signal ends the work between two steps
 */
export async function inTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = steps.next()
    if (done) return value
    await turn()
  }
}
