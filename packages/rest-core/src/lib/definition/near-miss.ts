/** The known name that was most probably meant, or `undefined` when none is close. */
export function nearMiss(given: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(3, Math.ceil(given.length / 2))
  for (const name of known) {
    if (Math.abs(name.length - given.length) >= least) continue
    const distance = editDistance(given.toLowerCase(), name.toLowerCase())
    if (distance < least) {
      best = name
      least = distance
    }
  }
  return best
}

/** Single characters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
