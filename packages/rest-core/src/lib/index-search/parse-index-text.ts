import { RestError } from '../../errors.js'
import { unstorable } from '../fields/text-value.js'
import type { IndexTerm } from '../store.js'
import { indexWords } from './index-words.js'

/** Not specified; chosen far above what people type, and below what makes a search dear. */
const most = { characters: 1_000, words: 50 }

/** A phrase in quotes, a run of anything else, or a quote that has no other. */
const pieces = /"([^"]*)"|([^\s"]+)|"/g
const endsInWord = /[\p{L}\p{N}\p{M}]$/u

/**
 * Reads the text of a search: words, all of which must be met; `word*` is the start of one, `"some words"` are
 * words in this order, of which the last may be a start too. Everything that is not a letter or digit separates words:
 * `well-known` is the phrase `"well known"`.
 *
 * @throws RestError ERR_BAD_REQUEST when there is no word, a quote is not closed, a `*` stands elsewhere, or it is too long.
 */
export function parseIndexText(text: string): readonly IndexTerm[] {
  if (text.length > most.characters) throw wrong(`is longer than ${most.characters} characters`)
  const problem = unstorable(text)
  if (problem) throw wrong(problem.text)
  const terms: IndexTerm[] = []
  let count = 0
  for (const [piece, phrase, bare] of text.matchAll(pieces)) {
    const given = phrase ?? bare
    if (given === undefined) throw wrong('has a quote (") that is not closed')
    const term = parseTerm(given.trim(), piece)
    if (term.words.length > 0) terms.push(term)
    count += term.words.length
  }
  if (terms.length === 0) throw wrong('has no word; give letters or digits')
  if (count > most.words) throw wrong(`has more than ${most.words} words`)
  return terms
}

function parseTerm(text: string, piece: string): IndexTerm {
  const prefix = text.endsWith('*')
  const start = prefix ? text.slice(0, -1) : text
  if (start.includes('*') || (prefix && !endsInWord.test(start)))
    throw wrong(`has a "*" in ${piece}; it may only follow the start of a word: star*, or "star wa*"`)
  const words = indexWords(start)
  return { words: words === '' ? [] : words.split(' '), prefix }
}

function wrong(text: string): RestError {
  return new RestError('ERR_BAD_REQUEST', `The search text ${text}.`)
}
