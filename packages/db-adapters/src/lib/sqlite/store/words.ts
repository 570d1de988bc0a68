import type { IndexTerm } from '@steward/rest-core'
import { ownName } from '../../schema/names.js'
import { slot } from '../../sql/builder.js'
import type { WordsDialect } from '../../sql/dialect.js'
import { sqliteBuilder as builder } from '../builder.js'

/** The FTS5 table beside a table; its name is all that ties them together for those who search. */
export function wordTable(table: string): string {
  return ownName('words', table.toLowerCase(), ['words'])
}

/** Words hold letters and digits only, so that quotes are all that the query language of FTS5 needs. */
export const sqliteWords: WordsDialect = {
  table: wordTable,
  match(terms) {
    return {
      shape: 'fts',
      values: [terms.map(phraseOf).join(' AND ')],
      condition: ({ place }) => builder.raw(`${place} match ?`, [slot(0)]),
      score: ({ table }) => builder.raw(`-${table}.rank`),
    }
  },
}

function phraseOf({ words, prefix }: IndexTerm): string {
  return `"${words.join(' ')}"${prefix ? ' *' : ''}`
}
