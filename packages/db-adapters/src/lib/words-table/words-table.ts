import type { IndexTerm } from '@steward/rest-core'
import type { Knex } from 'knex'
import { ownName } from '../schema/names.js'
import { quoted, raw, slot, type Query, type Raw } from '../sql/builder.js'
import type { WordsColumn, WordsDialect, WordsPlace } from '../sql/dialect.js'

/**
 * Words in a table beside the table: a row per word, with its place in the text, that goes with the row by a foreign key.
 * For databases whose own full text is not always installed, or knows only what is committed. Words and the parts of
 * phrases are found by an index over word, row and place; nothing of a vendor's language is needed but `split`.
 */
export interface WordsTableOptions {
  readonly builder: Knex
  /**
   * What follows a table to get a row per word of its column (quoted), whose words have single blanks between them, and the
   * expressions of the word and of its place.
   */
  readonly split: (column: string) => { readonly join: string; readonly word: string; readonly place: string }
}

/** Columns of the table, one for each that identifies a row; the one for the word is called like the column that the words are from. */
export const rowColumn = (at: number): string => (at === 0 ? 'row_id' : `row_id_${at + 1}`)
export const placeColumn = 'place'

/** Most characters of a word. Source: `indexWords`. */
export const longestWord = 80

/** Whether a column of the table is the one for the word. */
export function isWordColumn(name: string): boolean {
  return name !== placeColumn && !/^row_id(?:_\d+)?$/.test(name)
}

/** The name of the table of words beside a table, in the same schema. */
export function wordsTableName(table: string): string {
  const name = table.slice(table.lastIndexOf('.') + 1)
  return table.slice(0, -name.length) + ownName('words', name, [])
}

export function createWordsTable({ builder, split }: WordsTableOptions): WordsDialect {
  return {
    rows: { table: wordsTableName, add, remove },
    match: (terms) => ({
      shape: terms.map(({ words, prefix }) => `${words.length}${prefix ? '*' : ''}`).join(' '),
      values: terms.flatMap(wordsOf),
      condition: (at) => {
        const [id = '', ...others] = at.ids
        const starts = startsOf(terms, at)
        if (others.length > 0)
          return raw(
            builder,
            starts.map(() => 'exists ?').join(' and '),
            starts.map((each) => ofRow(each, at)),
          )
        return raw(
          builder,
          starts.map(() => `${id} in ?`).join(' and '),
          starts.map((each) => each.select(`x_w0.${rowColumn(0)}`)),
        )
      },
      score: (at) => {
        const counts = startsOf(terms, at).map((each) => ofRow(each, at).count('*'))
        return raw(builder, counts.map(() => '?').join(' + '), counts)
      },
    }),
  }

  function ofRow(starts: Query, { ids }: WordsColumn): Query {
    for (const [at, id] of ids.entries()) starts.whereRaw(`${quoted(builder, 'x_w0', rowColumn(at))} = ${id}`)
    return starts
  }

  /** Places at which each term starts; nothing of them is selected yet. */
  function startsOf(terms: readonly IndexTerm[], { rows, column, ids }: WordsColumn): Query[] {
    let taken = 0
    return terms.map(({ words, prefix }) => {
      const query = builder.from(`${rows} as x_w0`)
      for (const at of words.keys()) {
        const alias = `x_w${at}`
        if (at > 0)
          query.join(`${rows} as ${alias}`, (clause) => {
            for (const part of ids.keys()) clause.on(`${alias}.${rowColumn(part)}`, `x_w0.${rowColumn(part)}`)
            const place = (of: string): string => quoted(builder, of, placeColumn)
            clause.on(builder.raw(`${place(alias)} = ${place('x_w0')} + ${at}`))
          })
        query.where(`${alias}.${column}`, prefix && at === words.length - 1 ? 'like' : '=', slot(taken++))
      }
      return query
    })
  }

  function add({ table, column, ids, rows }: WordsPlace, one: boolean): Raw {
    const words = split(`${quoted(builder, 't0')}.${builder.ref(column).toString()}`)
    const select = builder
      .select([...ids.map((id) => `t0.${id}`), builder.raw(words.place), builder.raw(words.word)])
      .from(`${table} as t0`)
      .joinRaw(words.join)
    if (one) for (const [at, id] of ids.entries()) select.where(`t0.${id}`, slot(at))
    else select.whereNotNull(`t0.${column}`)
    const into = [...ids.map((_, at) => rowColumn(at)), placeColumn, column]
    // knex's "insert" of a select names no columns.
    return builder.raw(`insert into ?? (${into.map(() => '??').join(', ')}) ??`, [rows, ...into, select])
  }

  function remove({ rows, ids }: WordsPlace): Query {
    const query = builder(rows)
    for (const at of ids.keys()) query.where(rowColumn(at), slot(at))
    return query.delete()
  }
}

/** Words hold letters and digits only, so that none has to be escaped. */
function wordsOf({ words, prefix }: IndexTerm): string[] {
  return words.map((word, at) => (prefix && at === words.length - 1 ? `${word}%` : word))
}
