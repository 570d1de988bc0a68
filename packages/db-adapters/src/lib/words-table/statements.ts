import type { ChangeOf } from '../schema/changes.js'
import type { SchemaWriter } from '../schema/writer.js'
import type { WordsDialect } from '../sql/dialect.js'
import { placeColumn, rowColumn } from './words-table.js'

/** What differs between databases. */
export interface WordsTableTypes {
  readonly quote: (name: string) => string
  readonly writer: SchemaWriter
  readonly words: WordsDialect
  /** Types of the columns for places and words. */
  readonly place: string
  readonly word: string
}

/** Makes a table of words and fills it. Words go with their row, and are found by an index over word, row and place. */
export function addWordsTable(
  { table, name, column, ids }: ChangeOf<'addWordIndex'>,
  { quote, writer, words, place, word }: WordsTableTypes,
): string[] {
  const rowIds = ids.map((_, at) => rowColumn(at))
  const targetColumns = ids.map((id) => id.name)
  const columns = [
    ...ids.map(({ declaration }, at) => ({ name: rowColumn(at), declaration })),
    { name: placeColumn, declaration: place },
    { name: column, declaration: word },
  ].map((each) => ({ name: each.name, declaration: `${each.declaration} not null`, title: '' }))
  const key = [...rowIds, placeColumn]
  const [rows, target] = [quote(name), targetColumns.map(quote)]
  return [
    ...writer.create({ kind: 'createTable', table: name, id: undefined, key, columns }, (made) =>
      writer.foreignKey(made, {
        name: `${name}_f`,
        columns: rowIds,
        target: table,
        targetColumns,
        onDelete: 'cascade',
      }),
    ),
    ...writer.index({ table: name, name: `${name}_w`, columns: [column, ...key] }),
    ...(words.rows ? [words.rows.add({ table: quote(table), column: quote(column), ids: target, rows }, false)] : []),
  ]
}
