import { createWordsTable, longestWord } from '../../words-table/words-table.js'
import { oracleBuilder as builder } from '../builder.js'

/** Words have single blanks between them and need no escaping, so that the column becomes a JSON array by two of `replace`. */
export const oracleWords = createWordsTable({
  builder,
  split: (column) => ({
    join: `, json_table('["' || replace(${column}, ' ', '","') || '"]', '$[*]' columns (place for ordinality, word varchar2(${longestWord} char) path '$')) x_words`,
    word: 'x_words.word',
    place: 'x_words.place',
  }),
})
