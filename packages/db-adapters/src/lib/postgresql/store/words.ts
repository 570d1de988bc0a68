import type { IndexTerm } from '@steward/rest-core'
import { slot } from '../../sql/builder.js'
import type { WordsDialect } from '../../sql/dialect.js'
import { postgresqlBuilder as builder } from '../builder.js'

/**
 * The column is a `tsvector`, and both it and what is looked for are written as such: no parser or dictionary of the server
 * stands between, whose results depend on the database's locale. Words hold letters and digits only.
 */
export const postgresqlWords: WordsDialect = {
  match: (terms) => ({
    shape: 'tsquery',
    values: [terms.map(phraseOf).join(' & ')],
    condition: ({ place }) => builder.raw(`${place} @@ ?::tsquery`, [slot(0)]),
    // Divided by the logarithm of the length, so that a short text about it comes before a long one that mentions it.
    score: ({ place }) => builder.raw(`ts_rank_cd(${place}, ?::tsquery, 1)`, [slot(0)]),
  }),
}

function phraseOf({ words, prefix }: IndexTerm): string {
  const phrase = words.map((word, at) => `'${word}'${prefix && at === words.length - 1 ? ':*' : ''}`).join(' <-> ')
  return words.length === 1 ? phrase : `(${phrase})`
}

/** `a b a` as `'a':1 'b':2 'a':3`. */
export function encodeWords(words: string): string {
  return words
    .split(' ')
    .map((word, at) => `'${word}':${at + 1}`)
    .join(' ')
}

/** What the server writes: words by name, with all their places. */
export function decodeWords(vector: string): string {
  const words: string[] = []
  for (const [, word = '', places = ''] of vector.matchAll(/'((?:[^']|'')*)'(?::([\d,A-D]*))?/g)) {
    for (const place of places.split(',')) words[Number.parseInt(place, 10)] = word
  }
  return words.filter((word) => word !== undefined).join(' ')
}
