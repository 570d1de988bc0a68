import type { ChangeOf } from '../schema/changes.js'
import type { WordsDialect } from '../sql/dialect.js'
import { placeColumn, rowColumn } from './words-table.js'

/** What differs between databases. */
export interface WordsTableTypes {
  readonly quote: (name: string) => string
  readonly words: WordsDialect
  /** Types of the columns for places and words. */
  readonly place: string
  readonly word: string
}

/** Makes a table of words and fills it. Words go with their row, and are found by an index over word, row and place. */
export function addWordsTable(
  { table, name, column, ids }: ChangeOf<'addWordIndex'>,
  { quote, words, place, word }: WordsTableTypes,
): string[] {
  const rows = quote(name)
  const rowIds = ids.map((_, at) => quote(rowColumn(at))).join(', ')
  const target = ids.map((id) => quote(id.name))
  const lines = [
    ...ids.map(({ declaration }, at) => `${quote(rowColumn(at))} ${declaration} not null`),
    `${quote(placeColumn)} ${place} not null`,
    `${quote(column)} ${word} not null`,
    `primary key (${rowIds}, ${quote(placeColumn)})`,
    `foreign key (${rowIds}) references ${quote(table)} (${target.join(', ')}) on delete cascade`,
  ]
  return [
    `create table ${rows} (${lines.join(', ')})`,
    `create index ${quote(`${name}_w`)} on ${rows} (${quote(column)}, ${rowIds}, ${quote(placeColumn)})`,
    ...(words.rows ? [words.rows.add({ table: quote(table), column: quote(column), ids: target, rows }, false)] : []),
  ]
}
