import { distance } from 'fastest-levenshtein'

/** Known names that were probably meant, the most similar first, also those that start so; empty when none is close. */
export function nearMisses(given: string, known: Iterable<string>): string[] {
  const limit = Math.min(3, Math.ceil(given.length / 2))
  const begin = given.toLowerCase()
  // What is cut off counts less than what is mistyped.
  const isBegun = (name: string) => begin.length > 1 && name.toLowerCase().startsWith(begin)
  return [...new Set(known)]
    .map((name) => ({ name, apart: isBegun(name) ? 0.5 : distance(begin, name.toLowerCase()) }))
    .filter(({ apart }) => apart < limit)
    .toSorted((a, b) => a.apart - b.apart)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** As one sentence for the `help` of an error: `Did you mean "start" or "stop"?`; undefined when none is close. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  const names = nearMisses(given, known).map((name) => `"${name}"`)
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`
}
