// The glossary, glossary.json: what texts, comments and names of tests say, and what they do not say.
import fs from 'node:fs'
import path from 'node:path'

/**
 * A row of the glossary as it is written. `not` and `except`: phrases, in which `*` is any ending and `…` up to three
 * words. `onlyTexts`: comments and names of tests may say it.
 * @typedef {{ say: string, not: readonly string[], except?: readonly string[], onlyTexts?: boolean }} Row
 */

/**
 * A row as it is searched for.
 * @typedef {{ say: string, not: RegExp, except: RegExp | undefined, phrases: readonly string[], isForTexts: boolean }} Term
 */

/** Where the glossary is, in the repository. */
export const glossaryFile = 'scripts/words/glossary.json'

/**
 * @param {string} root of the repository
 * @returns {readonly Term[]}
 */
export function readGlossary(root) {
  return glossaryOf(JSON.parse(fs.readFileSync(path.join(root, glossaryFile), 'utf8')))
}

/**
 * @param {readonly Row[]} rows
 * @returns {readonly Term[]}
 */
export function glossaryOf(rows) {
  return rows.map(({ say, not, except = [], onlyTexts: isForTexts = false }) => {
    const refused = anyOf(not)
    if (refused === undefined) throw new Error(`The row "${say}" of the glossary has no phrase in "not".`)
    return { say, not: refused, except: anyOf(except), phrases: not, isForTexts }
  })
}

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
