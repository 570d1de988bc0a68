// Runs the tests that the changes since `main` may break (or since the branch that is named), with what is not
// committed: `npm run test:changed -- [branch] [arguments of vitest]`. `vitest --changed` goes by imports of sources,
// but tests load other packages built, so here whole packages are chosen: those that changed, and those that use them.
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {{ folder: string, name: string, uses: readonly string[] }} Part a workspace, or a file of `tests` */

/**
 * @param {readonly string[]} changed files
 * @param {readonly Part[]} parts
 * @returns {readonly string[] | undefined} files and folders whose tests are to be run; undefined: all
 */
export function selectTests(changed, parts) {
  const chosen = new Set(changed.filter((file) => file.endsWith('.test.ts')))
  /** @type {Set<string>} */
  const names = new Set()
  for (const file of changed) {
    if (chosen.has(file) || /^(?:docs|bench|\.changeset|\.github)\//.test(file)) continue
    const part = parts.find(({ folder }) => file.startsWith(`${folder}/`))
    if (part) names.add(part.name)
    else if (!/^[^/]+\.md$/.test(file)) return undefined
  }
  if (changed.some((file) => file.endsWith('.md'))) for (const test of testsOfTexts) chosen.add(test)
  for (const name of names)
    for (const part of parts) if (part.name !== '' && part.uses.includes(name)) names.add(part.name)
  for (const { folder, name, uses } of parts)
    if (names.has(name) || (name === '' && uses.some((each) => names.has(each)))) chosen.add(folder)
  return [...chosen].toSorted()
}

/** What reads documentation. */
const testsOfTexts = ['readmes', 'capabilities', 'contributing', 'requirements', 'website'].map(
  (name) => `tests/${name}.test.ts`,
)

/** @returns {readonly Part[]} */
function findParts() {
  const workspaces = ['packages', 'examples'].flatMap((parent) =>
    fs
      .readdirSync(path.join(root, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => fs.existsSync(path.join(root, folder, 'package.json'))),
  )
  const folders = new Map(workspaces.map((folder) => [nameOf(folder), folder]))
  /** @param {string} own @param {readonly string[]} files */
  const usesOf = (own, files) => {
    const text = files.map((file) => fs.readFileSync(path.join(root, file), 'utf8')).join('\n')
    const isUsed = (/** @type {[string, string]} */ [name, folder]) =>
      name !== own &&
      (text.includes(`${name}'`) || text.includes(`${name}/`) || text.includes(`${path.basename(folder)}/dist`))
    return [...folders].filter(isUsed).map(([name]) => name)
  }
  const tests = filesIn('tests').filter((file) => file.endsWith('.test.ts'))
  return [
    ...[...folders].map(([name, folder]) => ({ folder, name, uses: usesOf(name, filesIn(folder)) })),
    // Most read packages by their folders, or start their programs.
    ...tests.map((file) => ({ folder: file, name: '', uses: [...folders.keys()] })),
  ]
}

/** @param {string} folder */
function nameOf(folder) {
  return JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8')).name
}

/** @param {string} folder @returns {string[]} its sources */
function filesIn(folder) {
  return git('ls-files', '--cached', '--others', '--exclude-standard', folder).filter(
    (file) => /\.(?:ts|tsx|mjs)$/.test(file) && fs.existsSync(path.join(root, file)),
  )
}

/** @param {...string} args @returns {string[]} lines */
function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
}

function main() {
  const [first = 'main', ...others] = process.argv.slice(2)
  const [branch, args] = first.startsWith('-') ? ['main', [first, ...others]] : [first, others]
  const [base = branch] = git('merge-base', branch, 'HEAD')
  const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
  const chosen = selectTests(changed, findParts())
  if (chosen?.length === 0) return void process.stderr.write(`Nothing that is tested has changed since ${branch}.\n`)
  process.stderr.write(`Changed since ${branch}: ${chosen?.join(' ') ?? 'what all tests use'}\n`)
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const command = [vitest, 'run', '--passWithNoTests', ...(chosen ?? []), ...args]
  spawn(process.execPath, command, { cwd: root, stdio: 'inherit' }).once('close', (code) => {
    process.exitCode = code ?? 1
  })
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) main()
