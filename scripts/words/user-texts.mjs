// The texts of the repository that users read, with the places where they stand.
import fs from 'node:fs'
import { parseAst } from 'rolldown/parseAst'

/**
 * A text: characters of its file at the same places, with blanks for what is not prose.
 * @typedef {{ file: string, source: string, prose: string }} UserTexts
 */

export const sources = {
  code: ['packages/*/src/**/*.{ts,tsx}', 'scripts/start.mjs', 'scripts/ready.mjs', 'tests/setup.ts'],
  prose: [
    '*.md',
    '.changeset/*.md',
    'docs/*.md',
    // Specifications are kept word for word.
    'docs/{contributing,decisions}/*.md',
    'docs/spec/README.md',
    'packages/*/README.md',
    'packages/*/src/**/README.md',
    'tests/**/README.md',
    'examples/**/README.md',
    'templates/**/README.md',
    'bench/README.md',
    'website/*.md',
  ],
}

/** Tests, suites for tests, and what is SQL or shell all through. */
const isOther = (/** @type {string} */ file) =>
  /\.(test|testing|inside)\.tsx?$|-(for-test|suite)\.tsx?$|\b(script|migrations)\.ts$|[/\\](contract|testing)[/\\].*\.tsx?$|[/\\](node_modules|dist|reference)[/\\]|[/\\]testing\.ts$/.test(
    file,
  )

/**
 * The files of `root` that hold user texts, sorted.
 * @param {string} root
 */
export function userTextFiles(root) {
  return fs
    .globSync([...sources.code, ...sources.prose], { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => !isOther(file))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
}

/**
 * @param {string} file relative, for its ending
 * @param {string} source
 * @returns {UserTexts}
 */
export function userTextsOf(file, source) {
  return { file, source, prose: file.endsWith('.md') ? proseOfMarkdown(source) : proseOfCode(file, source) }
}

/**
 * The comments of code at their places, with blanks for all else.
 * @param {string} source
 */
export function commentsOf(source) {
  const comments = [...blank(source)]
  for (const { index, 0: comment } of source.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g)) {
    const text = comment.replaceAll(/`[^`\n]*`|\bhttps?:\/\/\S+|@\w+/g, blank)
    for (let at = 0; at < text.length; at += 1) comments[index + at] = text.charAt(at)
  }
  return comments.join('')
}

/** Where names of tests stand. */
const ofTests = /\.(?:test|inside)\.tsx?$|suite[^/]*\.ts$|[/\\]testing[/\\]/
const testNames =
  /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1/g

/**
 * The comments of code, and its names of tests, at their places, with blanks for all else.
 * @param {string} file
 * @param {string} source
 */
export function notesOf(file, source) {
  const comments = commentsOf(source)
  if (!ofTests.test(file)) return comments
  const notes = [...comments]
  for (const { index, 0: call, 2: name = '' } of source.matchAll(testNames)) {
    const start = index + call.length - name.length - 1
    for (let at = 0; at < name.length; at += 1) notes[start + at] = name.charAt(at)
  }
  return notes.join('')
}

const blank = (/** @type {string} */ text) => text.replaceAll(/[^\n]/g, ' ')

/** Everything but code, addresses, and comments. */
function proseOfMarkdown(/** @type {string} */ source) {
  return source
    .replaceAll(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, blank)
    .replaceAll(/\]\([^)\s]*\)/g, blank)
    .replaceAll(/<[a-z/][^>\n]*>/gi, blank)
    .replaceAll(/\bhttps?:\/\/\S+/g, blank)
}

/** What stands in strings, templates and JSX. Between two texts is `end`, unless "+" makes them one. */
function proseOfCode(/** @type {string} */ file, /** @type {string} */ source) {
  const prose = [...blank(source)]
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file), (from, to) => {
    for (let at = from; at < to; at += 1) if (source[at] !== '\n') prose[at] = source.charAt(at)
    const isFollowed = /^['"`]\s*\+\s*['"`]/.test(source.slice(to, to + 200))
    if (!isFollowed && prose[to] === ' ') prose[to] = end
  })
  return prose.join('')
}

/** No blank: a phrase does not go from one text into another. */
const end = '\0'

/** Calls `keep` with the places of texts. `isPart`: "+" makes the node part of a text. */
function visit(
  /** @type {any} */ node,
  /** @type {(from: number, to: number) => void} */ keep,
  /** @type {boolean} */ isPart = false,
) {
  if (Array.isArray(node)) for (const one of node) visit(one, keep)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, start, end: to } = node
  if (type === 'JSXText') keep(start, to)
  else if (type === 'TemplateElement') keep(start + 1, to - (node.tail ? 1 : 2))
  else if (type === 'Literal' && typeof node.value === 'string') {
    if (isPart || !notProse.test(node.value)) keep(start + 1, to - 1)
  } else if (type === 'TemplateLiteral' && notProse.test(node.quasis[0].value.raw)) visit(node.expressions, keep)
  else if (type === 'BinaryExpression' && node.operator === '+') {
    visit(node.left, keep, true)
    visit(node.right, keep, true)
  } else if (!skipped.has(type))
    for (const [key, value] of Object.entries(node)) if (!isName(node, key)) visit(value, keep)
}

/** A name, SQL, or a script. */
const notProse =
  /^(?:[a-z][\w:./-]*|\s*(?:#!|alter|begin|coalesce|const|create|declare|delete|drop|insert|pragma|select|set transaction|update|where|while|with)\b.*)$/s
const skipped = new Set(['ImportDeclaration', 'TSLiteralType', 'TSEnumDeclaration', 'TaggedTemplateExpression'])
const isName = (/** @type {any} */ { type, source }, /** @type {string} */ key) =>
  (key === 'key' && /^(Property|PropertyDefinition|TSPropertySignature)$/.test(type)) || (key === 'source' && source)
