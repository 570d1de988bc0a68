// Finds misspelt words in texts that users read and in comments, with the dictionary `dictionary.txt` beside those of cspell.
import fs from 'node:fs'
import path from 'node:path'
import { spellCheckDocument } from 'cspell-lib'
import { commentsOf, userTextFiles, userTextsOf } from './user-texts.mjs'

/** @typedef {{ file: string, line: number, word: string }} Misspelling */

/** Texts in other languages, and names that people and columns have in them. */
const otherLanguages = /\/texts\/(?:fr|de)\b|\/register\/(?:password-)?texts\.ts$|\/anonymise\//

/** Names in capitals, such as settings and error codes, are not checked. */
const settings = {
  version: /** @type {const} */ ('0.2'),
  language: 'en,en-GB',
  dictionaries: ['softwareTerms', 'node'],
  ignoreRegExpList: ['/\\b[A-Z][A-Z0-9_]{3,}\\b/g'],
}
const options = { generateSuggestions: false, noConfigSearch: true }

/**
 * All findings below `root`.
 * @param {string} root
 */
export async function checkSpelling(root) {
  const words = fs.readFileSync(path.join(root, 'scripts/words/dictionary.txt'), 'utf8').split('\n').filter(Boolean)
  /** @type {Misspelling[]} */
  const found = []
  for (const file of userTextFiles(root))
    if (!otherLanguages.test(file))
      found.push(...(await misspellingsOf(file, fs.readFileSync(path.join(root, file), 'utf8'), words)))
  return found
}

/**
 * @param {string} file
 * @param {string} source
 * @param {readonly string[]} words that are right as well
 * @returns {Promise<readonly Misspelling[]>}
 */
export async function misspellingsOf(file, source, words) {
  const text = `${userTextsOf(file, source).prose}\n${file.endsWith('.md') ? '' : commentsOf(source)}`
  if (text.trim() === '') return []
  const document = { uri: `file:///${file}.txt`, text, languageId: 'plaintext' }
  const { issues } = await spellCheckDocument(document, options, { ...settings, words: [...words] })
  const lines = source.split('\n').length
  return issues.map(({ text: word, offset }) => ({
    file,
    line: ((text.slice(0, offset).split('\n').length - 1) % lines) + 1,
    word,
  }))
}
