/** Known names that were probably meant, the most similar first, also those that begin so; empty when none is close. */
export function nearMisses(given: string, known: Iterable<string>): string[] {
  const limit = Math.min(3, Math.ceil(given.length / 2))
  const begin = given.toLowerCase()
  // What is cut off counts less than what is mistyped.
  const isBegun = (name: string) => begin.length > 1 && name.toLowerCase().startsWith(begin)
  return [...new Set(known)]
    .map((name) => ({ name, distance: isBegun(name) ? 0.5 : distanceOf(begin, name.toLowerCase(), limit) }))
    .filter(({ distance }) => distance < limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** As one sentence for the `help` of an error: `Did you mean "start" or "stop"?`; undefined when none is close. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  const names = nearMisses(given, known).map((name) => `"${name}"`)
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`
}

/** Characters to insert, delete or replace (Levenshtein); those that are far apart by length alone are not counted. */
function distanceOf(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] as number) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1))
    }
    row = next
  }
  return row.at(-1) as number
}
