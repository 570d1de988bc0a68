import { distance } from 'fastest-levenshtein'

/** The known name that was most probably meant, or `undefined` when none is close. */
export function nearMiss(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(3, Math.ceil(given.length / 2))
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= least) continue
    const apart = distance(given.toLowerCase(), name.toLowerCase())
    if (apart < least) {
      best = name
      least = apart
    }
  }
  return best
}
