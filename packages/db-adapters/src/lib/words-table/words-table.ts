import type { IndexTerm } from '@steward/rest-core'
import { ownName } from '../schema/names.js'
import type { WordsColumn, WordsDialect, WordsPlace } from '../sql/dialect.js'
import { joinTexts, type Text } from '../sql/text.js'

/**
 * Words in a table beside the table: a row per word, with its place in the text, that goes with the row by a foreign key.
 * For databases whose own full text is not always installed, or knows only what is committed. Words and the parts of
 * phrases are found by an index over word, row and place; nothing of a vendor's language is needed but `split`.
 */
export interface WordsTableOptions {
  /** Quotes a name. */
  readonly quote: (name: string) => string
  /**
   * What follows a table to get a row per word of its column, whose words have single blanks between them, and the
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

export function createWordsTable({ quote, split }: WordsTableOptions): WordsDialect {
  const place = quote(placeColumn)

  return {
    rows: { table: wordsTableName, add, remove },
    match: (terms) => ({
      shape: terms.map(({ words, prefix }) => `${words.length}${prefix ? '*' : ''}`).join(' '),
      values: terms.flatMap(wordsOf),
      condition: (at) =>
        joinTexts(
          partsOf(terms, at).map(({ sql, slots }) => ({ sql: holds(at.ids, sql), slots })),
          ' and ',
        ),
      score(at) {
        const counts = partsOf(terms, at).map(({ sql, slots }) => ({
          sql: `(select count(*)${sql} and ${isRow(at.ids)})`,
          slots,
        }))
        return joinTexts(counts, ' + ')
      },
    }),
  }

  function holds(ids: readonly string[], part: string): string {
    const [id = '', ...others] = ids
    return others.length === 0
      ? `${id} in (select x_w0.${quote(rowColumn(0))}${part})`
      : `exists (select 1${part} and ${isRow(ids)})`
  }

  function isRow(ids: readonly string[]): string {
    return ids.map((id, at) => `x_w0.${quote(rowColumn(at))} = ${id}`).join(' and ')
  }

  /** ` from … where …`: places at which each term starts. */
  function partsOf(terms: readonly IndexTerm[], { rows, column, ids }: WordsColumn): Text[] {
    let first = 0
    return terms.map(({ words, prefix }) => {
      const slots = words.map((_, at) => first + at)
      first += words.length
      const others = words.slice(1).map((_, before) => {
        const alias = `x_w${before + 1}`
        const same = ids.map((__, at) => `${alias}.${quote(rowColumn(at))} = x_w0.${quote(rowColumn(at))}`)
        return ` join ${rows} ${alias} on ${same.join(' and ')} and ${alias}.${place} = x_w0.${place} + ${before + 1}`
      })
      const equal = words.map((_, at) => `x_w${at}.${column} ${prefix && at === words.length - 1 ? 'like' : '='} ?`)
      return { sql: ` from ${rows} x_w0${others.join('')} where ${equal.join(' and ')}`, slots }
    })
  }

  function add({ table, column, ids, rows }: WordsPlace, one: boolean): string {
    const words = split(`t0.${column}`)
    const which = one ? ids.map((id) => `t0.${id} = ?`).join(' and ') : `t0.${column} is not null`
    const into = ids.map((_, at) => quote(rowColumn(at))).join(', ')
    return (
      `insert into ${rows} (${into}, ${place}, ${column}) ` +
      `select ${ids.map((id) => `t0.${id}`).join(', ')}, ${words.place}, ${words.word} from ${table} t0${words.join} where ${which}`
    )
  }

  function remove({ rows, ids }: WordsPlace): string {
    return `delete from ${rows} where ${ids.map((_, at) => `${quote(rowColumn(at))} = ?`).join(' and ')}`
  }
}

/** Words hold letters and digits only, so that none has to be escaped. */
function wordsOf({ words, prefix }: IndexTerm): string[] {
  return words.map((word, at) => (prefix && at === words.length - 1 ? `${word}%` : word))
}
