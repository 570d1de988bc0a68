// The glossary of CONTRIBUTING.md: what texts, comments and names of tests say, and what they do not say.
import fs from 'node:fs'
import path from 'node:path'

/**
 * A row of a table. `isForTexts`: comments and names of tests may say it.
 * @typedef {{ say: string, not: RegExp, except: RegExp | undefined, phrases: readonly string[], isForTexts: boolean }} Term
 */

/**
 * @param {string} root of the repository
 * @returns {readonly Term[]}
 */
export function readGlossary(root) {
  return glossaryOf(fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8'))
}

/**
 * @param {string} markdown with tables whose columns are Say, or Say in texts, Not and Except; the phrases of the last two
 *   are code
 * @returns {readonly Term[]}
 */
export function glossaryOf(markdown) {
  const tables = [...markdown.matchAll(/^\| Say( in texts)? +\| Not +\| Except +\|\n\|[-| ]+\|\n((?:\|.*\n)+)/gm)]
  if (tables.length === 0) throw new Error('There is no table with the columns Say, Not and Except.')
  return tables.flatMap(([, inTexts, table = '']) =>
    table
      .trimEnd()
      .split('\n')
      .map((row) => termOf(row, inTexts !== undefined)),
  )
}

/** @returns {Term} */
function termOf(/** @type {string} */ row, /** @type {boolean} */ isForTexts) {
  const [say = '', not = '', except = ''] = row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
  const phrases = phrasesOf(not)
  const refused = anyOf(phrases)
  if (refused === undefined) throw new Error(`The row "${say}" of the glossary has no phrase in its column Not.`)
  return { say, not: refused, except: anyOf(phrasesOf(except)), phrases, isForTexts }
}

const phrasesOf = (/** @type {string} */ cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) => phrase)

/** Also at the start of a sentence, but not in capitals: those are names. */
function anyOf(/** @type {readonly string[]} */ phrases) {
  return phrases.length === 0 ? undefined : new RegExp(phrases.map(patternOf).join('|'), 'gu')
}

/** `*` is any ending of a word, `…` one to three words. */
function patternOf(/** @type {string} */ phrase) {
  const [first = '', ...others] = phrase.split(' ').map(wordOf)
  const start = first.replace(/^\p{Ll}/u, (letter) => `[${letter}${letter.toUpperCase()}]`)
  return `${/^\p{L}/u.test(first) ? '(?<![\\p{L}\\d_-])' : ''}${[start, ...others].join('\\s+')}(?![\\p{L}\\d_-])`
}

function wordOf(/** @type {string} */ word) {
  if (word === '…') return String.raw`[^\s\0]+(?:\s+[^\s\0]+){0,2}?`
  return word.replaceAll(/[.?+^$()[\]{}|\\]/g, String.raw`\$&`).replaceAll('*', String.raw`\p{L}*`)
}
