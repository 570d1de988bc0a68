import type { IndexTerm } from '@steward/rest-core'
import { raw, slot, type Raw } from '../../sql/builder.js'
import type { WordMatch, WordsColumn, WordsDialect } from '../../sql/dialect.js'
import { mysqlBuilder as builder } from '../builder.js'

/**
 * Stands before each word in the column, so that none is a stop word or too short for an InnoDB index, which leaves out
 * words of less than 3 characters. Before and not after, because words are also found by their first letters.
 */
const mark = 'qq'

/**
 * All but the letters and digits that the servers' tables take for parts of words; those of rare scripts would separate
 * words, and are written as `escape` and their code point. Measured on MariaDB 10.11.
 */
const unknown = new RegExp(
  `[^a-z0-9 ${[
    'ĸŋŉſ\u0180-\u024f\u0250-\u02ad', // Latin
    '\u0391-\u03ce\u0400-\u0513\u0561-\u0586\u10d0-\u10f0', // Greek, Cyrillic, Armenian, Georgian
    '\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u0660-\u0669\u0671-\u06d3\u06f0-\u06f9', // Hebrew, Arabic
    '\u0904-\u0939\u0966-\u096f\u0985-\u09b9\u09e6-\u09f1\u0a05-\u0a39\u0a66-\u0a6f\u0a85-\u0ab9\u0ae6-\u0aef', // India
    '\u0b05-\u0b39\u0b66-\u0b6f\u0b85-\u0bb9\u0be7-\u0bef\u0c05-\u0c33\u0c66-\u0c6f\u0c85-\u0cb9\u0ce6-\u0cef',
    '\u0d05-\u0d28\u0d2a-\u0d39\u0d66-\u0d6f\u0d85-\u0dc6\u0e01-\u0e30\u0e40-\u0e46\u0e50-\u0e59', // Thai
    '\u1100-\u1159\u1161-\u11a2\u11a8-\u11f9\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5', // Hangul, Kana, Han
  ].join('')}]`,
  'gu',
)
/** A letter that no word has: `indexWords` makes an o of it. */
const escape = 'ø'
/** Digits of a code point: all letters and digits are below U+40000. */
const digits = 5
const escaped = new RegExp(`${escape}([0-9a-f]{${digits}})`, 'g')
/** Most characters of a word that InnoDB keeps (`innodb_ft_max_token_size`); longer ones, which are full of escapes, are not in the index. */
const longestWord = 84

/**
 * Full-text search in boolean mode, of which only words and beginnings of words are asked; phrases are looked up in the
 * rows that have all words.
 */
export const mysqlWords: WordsDialect = {
  match(terms, uncommitted) {
    const marked = terms.map(({ words, prefix }) => ({ words: words.map(encodeWord), prefix }))
    // The index knows what is committed only.
    const inIndex = uncommitted ? [] : marked.flatMap(indexTerms)
    const parts = marked
      .filter(({ words }) => uncommitted || words.length > 1 || !words.every(isIndexed))
      .map(({ words, prefix }) => ` ${words.join(' ')}${prefix ? '' : ' '}`)
    if (inIndex.length === 0) return scan(parts)
    return {
      shape: `index ${parts.length}`,
      values: [inIndex.join(' '), ...parts],
      condition: (at) => allOf([against(at), ...parts.map((_, n) => holds(at, n + 1))]),
      score: against,
    }
  },
}

/** Without the index: rows that hold all parts, by how often. */
function scan(parts: readonly string[]): WordMatch {
  return {
    shape: `scan ${parts.length}`,
    values: parts,
    condition: (at) => allOf(parts.map((_, n) => holds(at, n))),
    score(at) {
      const text = textOf(at)
      const times = parts.map(() => `(char_length(${text}) - char_length(replace(${text}, ?, ''))) / char_length(?)`)
      return builder.raw(
        `(${times.join(' + ')})`,
        parts.flatMap((_, n) => [slot(n), slot(n)]),
      )
    },
  }
}

function indexTerms({ words, prefix }: IndexTerm): string[] {
  return words.flatMap((word, at) =>
    isIndexed(word) ? [`+${word}${prefix && at === words.length - 1 ? '*' : ''}`] : [],
  )
}

function isIndexed(word: string): boolean {
  return word.length <= longestWord
}

function allOf(conditions: readonly Raw[]): Raw {
  return raw(builder, conditions.map(() => '?').join(' and '), conditions)
}

function against({ place }: WordsColumn): Raw {
  return builder.raw(`match(${place}) against (? in boolean mode)`, [slot(0)])
}

function holds(at: WordsColumn, value: number): Raw {
  return builder.raw(`instr(${textOf(at)}, ?) > 0`, [slot(value)])
}

function textOf({ place }: WordsColumn): string {
  return `concat(' ', ${place}, ' ')`
}

function encodeWord(word: string): string {
  return (
    mark + word.replace(unknown, (letter) => escape + Number(letter.codePointAt(0)).toString(16).padStart(digits, '0'))
  )
}

export function encodeWords(words: string): string {
  return words.split(' ').map(encodeWord).join(' ')
}

export function decodeWords(marked: string): string {
  return marked
    .split(' ')
    .map((word) => word.slice(mark.length))
    .join(' ')
    .replace(escaped, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
}
