import { createWordsTable } from '../../words-table/words-table.js'
import { mssqlBuilder as builder } from '../builder.js'

/** Words have single blanks between them and need no escaping, so that the column becomes a JSON array by `replace`. */
export const mssqlWords = createWordsTable({
  builder,
  split: (column) => ({
    join: `cross apply openjson(N'["' + replace(${column}, N' ', N'","') + N'"]') x_words`,
    word: 'x_words.[value]',
    place: 'cast(x_words.[key] as int)',
  }),
})
