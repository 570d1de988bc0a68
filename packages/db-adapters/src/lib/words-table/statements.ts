import type { ChangeOf } from '../schema/changes.js'
import type { SchemaWriter } from '../schema/writer.js'
import { key, textOf } from '../sql/builder.js'
import type { WordsDialect } from '../sql/dialect.js'
import { placeColumn, rowColumn } from './words-table.js'

/** What differs between databases. */
export interface WordsTableTypes {
  readonly writer: SchemaWriter
  readonly words: WordsDialect
  /** Types of the columns for places and words. */
  readonly place: string
  readonly word: string
}

/** Makes a table of words and fills it. Words go with their row, and are found by an index over word, row and place. */
export function addWordsTable(
  { table, name, column, ids }: ChangeOf<'addWordIndex'>,
  { writer, words, place, word }: WordsTableTypes,
): string[] {
  const rowIds = ids.map((_, at) => rowColumn(at))
  const targetColumns = ids.map((id) => id.name)
  const columns = [
    ...ids.map(({ declaration }, at) => ({ name: rowColumn(at), declaration })),
    { name: placeColumn, declaration: place },
    { name: column, declaration: word },
  ].map((each) => ({ name: each.name, declaration: `${each.declaration} not null`, title: '' }))
  const primaryKey = [...rowIds, placeColumn]
  const filled = { table: key(table), column: key(column), ids: targetColumns.map(key), rows: key(name) }
  return [
    ...writer.create({ kind: 'createTable', table: name, id: undefined, key: primaryKey, columns }, (made) =>
      writer.foreignKey(made, {
        name: `${name}_f`,
        columns: rowIds,
        target: table,
        targetColumns,
        onDelete: 'cascade',
      }),
    ),
    ...writer.index({ table: name, name: `${name}_w`, columns: [column, ...primaryKey] }),
    ...(words.rows ? [textOf(words.rows.add(filled, false)).sql] : []),
  ]
}
