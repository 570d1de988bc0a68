// The packages that are published, and what their package.json says about where they come from. The root's package.json
// names the repository; nothing else does. `node scripts/packages.mjs` checks the others, with `--fix` it writes them.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** @param {string} file @returns {Record<string, any>} */
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'))

/** Web address of the repository, without a slash at its end. */
export const repository = String(readJson('package.json').repository.url).replace(/^git\+|\.git$/g, '')

/** @returns {{ folder: string, json: Record<string, any> }[]} folders relative to the root, ordered by name */
export function publishedPackages() {
  return fs
    .readdirSync(path.join(root, 'packages'))
    .toSorted()
    .map((name) => ({ folder: `packages/${name}`, json: readJson(`packages/${name}/package.json`) }))
    .filter(({ json }) => !json.private)
}

/**
 * What the package.json of a published package has to say, apart from what it says about itself.
 *
 * @param {string} folder relative to the root
 */
export function expectedManifest(folder) {
  const { repository: source, author, license } = readJson('package.json')
  return {
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
    repository: { ...source, directory: folder },
    license,
    author,
    files: ['dist', 'CHANGELOG.md'],
  }
}

/**
 * @param {string} folder
 * @param {Record<string, any>} json
 * @returns {string[]} what is wrong, a line each
 */
export function problemsOfManifest(folder, json) {
  const wrong = Object.entries(expectedManifest(folder))
    .filter(([key, value]) => JSON.stringify(json[key]) !== JSON.stringify(value))
    .map(([key, value]) => `"${key}" must be ${JSON.stringify(value)}`)
  if (!(json.keywords?.length > 0)) wrong.push('"keywords" are missing')
  if (!json.description) wrong.push('"description" is missing')
  return wrong.map((problem) => `${folder}/package.json: ${problem}. Fix it with: node scripts/packages.mjs --fix`)
}

/**
 * A release takes changesets of published packages only. Below 1.0 a minor version may break; `major` would make 1.0 of a
 * package.
 *
 * @param {string} name of the changeset
 * @param {string} text
 * @returns {string[]} what is wrong, a line each
 */
export function problemsOfChangeset(name, text) {
  const published = publishedPackages().map(({ json }) => json.name)
  const [, head = ''] = text.split(/^---$/m)
  return [...head.matchAll(/^['"]?([^'"]+?)['"]?: (\w+)$/gm)].flatMap(([, changed = '', bump]) => [
    ...(published.includes(changed)
      ? []
      : [`.changeset/${name}: ${changed} is not published. Name the published packages that the change reaches.`]),
    ...(bump === 'major'
      ? [
          `.changeset/${name}: "major" would publish version 1.0 of ${changed}. Write "minor", and begin the text with **Breaking:**.`,
        ]
      : []),
  ])
}

/**
 * @param {Record<string, any>} json
 * @param {string} folder
 */
function fixed({ name, version, description, keywords = ['steward'], ...rest }, folder) {
  const { homepage, bugs, repository: source, license, author, files } = expectedManifest(folder)
  const head = { name, version, description, keywords, homepage, bugs, repository: source, license, author }
  return { ...head, ...Object.fromEntries(Object.entries(rest).filter(([key]) => !(key in head))), files }
}

/** @param {string[]} problems */
function report(problems) {
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  for (const { folder, json } of publishedPackages()) {
    const problems = problemsOfManifest(folder, json)
    if (problems.length === 0) continue
    if (process.argv.includes('--fix')) {
      fs.writeFileSync(
        path.join(root, folder, 'package.json'),
        `${JSON.stringify(fixed(json, folder), undefined, 2)}\n`,
      )
      // The entry of the first release links to the documentation.
      const changelog = path.join(root, folder, 'CHANGELOG.md')
      const text = fs.readFileSync(changelog, 'utf8')
      fs.writeFileSync(changelog, text.replaceAll(json.homepage, expectedManifest(folder).homepage))
    } else {
      report(problems)
    }
  }
  const changesets = fs.globSync('*.md', { cwd: path.join(root, '.changeset') })
  for (const name of changesets)
    report(problemsOfChangeset(name, fs.readFileSync(path.join(root, '.changeset', name), 'utf8')))
}
