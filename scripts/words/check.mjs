// Finds phrases that the glossary refuses in texts that users read, in comments, and in names of tests.
import fs from 'node:fs'
import path from 'node:path'
import { readGlossary } from './glossary.mjs'
import { notesOf, userTextFiles, userTextsOf } from './user-texts.mjs'

/** @typedef {{ file: string, line: number, found: string, say: string }} Finding */

/**
 * All findings below `root`.
 * @param {string} root
 */
export function checkWords(root) {
  const terms = readGlossary(root)
  return userTextFiles(root).flatMap((file) => findingsOf(file, fs.readFileSync(path.join(root, file), 'utf8'), terms))
}

/** Comments that begin with "Of": what they stand beside has to be read before they say anything. */
const noStart = /^[ \t]*(?:\/\*\*|\/\/|\*) (Of) /gm

/**
 * All findings in the comments and names of tests of the repository's code.
 * @param {string} root
 * @returns {readonly Finding[]}
 */
export function checkComments(root) {
  const terms = readGlossary(root)
  return fs
    .globSync('{packages,examples,templates,bench,scripts,tests,tools,website}/**/*.{ts,tsx,js,mjs,css}', {
      cwd: root,
      exclude: (name) => ['node_modules', 'dist', 'reference', plantedIn].includes(name),
    })
    .flatMap((file) => commentFindings(file, fs.readFileSync(path.join(root, file), 'utf8'), terms))
}

/** The test of this check plants what it refuses. */
const plantedIn = 'words.servers.test.ts'

/**
 * @param {string} file
 * @param {string} source
 * @param {readonly import('./glossary.mjs').Term[]} terms
 * @returns {readonly Finding[]}
 */
export function commentFindings(file, source, terms) {
  const starts = [...source.matchAll(noStart)].map(({ index, 1: found = '' }) => ({
    file,
    line: source.slice(0, index).split('\n').length,
    found,
    say: 'what it is, or "For …"',
  }))
  const everywhere = terms.filter(({ isForTexts }) => !isForTexts)
  return [...starts, ...findingsIn(notesOf(file, source), file, source, everywhere)]
}

/**
 * @param {string} file
 * @param {string} source
 * @param {readonly import('./glossary.mjs').Term[]} terms
 * @returns {readonly Finding[]}
 */
export function findingsOf(file, source, terms) {
  return findingsIn(userTextsOf(file, source).prose, file, source, terms)
}

/**
 * @param {string} prose
 * @param {string} file
 * @param {string} source
 * @param {readonly import('./glossary.mjs').Term[]} terms
 * @returns {readonly Finding[]}
 */
function findingsIn(prose, file, source, terms) {
  const lines = source.split('\n')
  return terms
    .flatMap(({ say, not, except }) => {
      const excepted = except === undefined ? [] : [...prose.matchAll(except)]
      return [...prose.matchAll(not)]
        .filter((match) => !excepted.some((one) => overlap(one, match)))
        .map((match) => ({
          file,
          line: prose.slice(0, match.index).split('\n').length,
          found: match[0].replaceAll(/\s+/g, ' '),
          say,
        }))
    })
    .filter(({ line, found }) => !isAllowed(lines, line, found))
    .toSorted((one, other) => one.line - other.line)
}

const overlap = (/** @type {RegExpExecArray} */ one, /** @type {RegExpExecArray} */ other) =>
  one.index < other.index + other[0].length && other.index < one.index + one[0].length

/** By a comment `words-allow: <what was found>` in the line, or in the one before it. */
function isAllowed(/** @type {readonly string[]} */ lines, /** @type {number} */ line, /** @type {string} */ found) {
  return [lines[line - 1], lines[line - 2]].some((text) =>
    /words-allow: (.*)/
      .exec(text ?? '')?.[1]
      ?.toLowerCase()
      .includes(found.toLowerCase()),
  )
}
