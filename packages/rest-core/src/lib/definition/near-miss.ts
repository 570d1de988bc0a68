import { distance } from 'fastest-levenshtein'

/**
 * The known name that was most probably meant, or `undefined` when none is close.
 *
 * @param apart Fewest characters that make it another name. Default 3, and half of a short name.
 */
export function nearMiss(
  given: string,
  known: Iterable<string>,
  apart = Math.min(3, Math.ceil(given.length / 2)),
): string | undefined {
  let best: string | undefined
  let least = apart
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= least) continue
    const steps = distance(given.toLowerCase(), name.toLowerCase())
    if (steps < least) {
      best = name
      least = steps
    }
  }
  return best
}
