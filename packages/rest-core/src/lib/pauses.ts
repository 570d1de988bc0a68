import { setImmediate } from 'node:timers/promises'

/** Steps of work between two pauses. Not specified; chosen so that what lies between takes some milliseconds. */
const steps = 50

/**
 * Lets others do something from time to time: a store that answers at once would otherwise keep the event loop from all
 * other requests as long as the work takes. Call it after each step.
 */
export function createPauses(): () => Promise<unknown> | undefined {
  let count = 0
  return () => (++count % steps === 0 ? setImmediate() : undefined)
}
