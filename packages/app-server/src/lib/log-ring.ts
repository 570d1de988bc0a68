/** The last lines of a log, in memory. */
export interface LogRing {
  /** Takes one line, with or without its line break. */
  write(line: string): void
  /** The last lines, oldest first. */
  lines(most?: number): readonly string[]
  /** @returns how many lines went. */
  clear(): number
}

/** Not specified; chosen so that a ring takes a few MB at most. */
const longestLine = 4000

/**
 * Keeps the last lines of a log in memory, for the IO endpoint; each is cut after 4,000 characters.
 *
 * @param most lines that are kept; default 1,000
 */
export function createLogRing(most = 1000): LogRing {
  let kept: string[] = []
  return {
    write(line) {
      kept.push(line.trimEnd().slice(0, longestLine))
      // Cut seldom, since cutting copies.
      if (kept.length > 2 * most) kept = kept.slice(-most)
    },
    lines: (count = most) => (count < 1 ? [] : kept.slice(-Math.min(count, most))),
    clear() {
      const count = Math.min(kept.length, most)
      kept = []
      return count
    },
  }
}
