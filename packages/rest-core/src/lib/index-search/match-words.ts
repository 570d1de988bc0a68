import type { IndexTerm } from '../store.js'

/**
 * How well words (as `indexWords` gives them) meet the terms: the oftener the better, and the better the fewer other words
 * there are; 0 when a term is not met.
 */
export function scoreOf(words: string, terms: readonly IndexTerm[]): number {
  const text = ` ${words} `
  let met = 0
  for (const { words: phrase, prefix } of terms) {
    const times = occurrences(text, ` ${phrase.join(' ')}${prefix ? '' : ' '}`)
    if (times === 0) return 0
    met += times
  }
  return met / (1 + Math.log(words.split(' ').length))
}

/** Neighbours may share the blank between them. */
function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count += 1
  return count
}
