import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parameters } from '../packages/rest-koa/src/lib/router/parameters.js'

const root = new URL('../', import.meta.url)
const table = readFileSync(new URL('docs/requirements.md', root), 'utf8')
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:---|Requirement)/.test(line))
const proofs = [...table.matchAll(/`([^`]+\.ts)` › `([^`]+)`/g)].map(([, file = '', title = '']) => ({ file, title }))

test('every test that docs/requirements.md names is there', () => {
  expect(proofs.length).toBeGreaterThan(rows.length)
  const missing = proofs.filter(({ file, title }) => {
    const url = new URL(file, root)
    return !existsSync(url) || !readFileSync(url, 'utf8').includes(title)
  })
  expect(missing).toEqual([])
})

test('every row of docs/requirements.md says where it is described and what proves it, or that it is not there', () => {
  expect(rows.length).toBeGreaterThan(80)
  const bare = rows.filter((row) => !/\| not there[^|]*\|$/.test(row) && !(row.includes('.md)') && row.includes(' › ')))
  expect(bare).toEqual([])
})

/** Headings, and first cells of rows, without backticks and without what stands in parentheses at their end. */
function sectionsOf(document: string): ReadonlySet<string> {
  const text = readFileSync(new URL(`docs/spec/${document}`, root), 'utf8')
  const titles = [...text.matchAll(/^#+ (.*)$|^\| ([^|]*?) \|/gm)].map(([, heading, cell]) => heading ?? cell ?? '')
  return new Set(titles.map((title) => title.replaceAll('`', '').replace(/ \([^)]*\)$/, '')))
}

test('every section of docs/spec that the code or a document cites is there', () => {
  const files = globSync('{packages,examples,templates,tests,bench,docs}/**/*.{ts,tsx,md}', {
    cwd: fileURLToPath(root),
    exclude: (name) => ['node_modules', 'dist', 'reference'].includes(name),
  })
  const sections = new Map<string, ReadonlySet<string>>()
  const missing: string[] = []
  let cited = 0
  for (const file of files) {
    // A citation may go over two lines of a comment.
    const text = readFileSync(new URL(file, root), 'utf8').replaceAll(/\n\s*(?:\*|\/\/)? */g, ' ')
    for (const [citation, document = '', names = ''] of text.matchAll(
      /\bdocs\/spec\/([\w-]+\.md)(?:, | \()("[^"]+"(?: and "[^"]+")*)/g,
    )) {
      cited += 1
      if (!existsSync(new URL(`docs/spec/${document}`, root))) {
        missing.push(`${file}: ${citation}`)
        continue
      }
      if (!sections.has(document)) sections.set(document, sectionsOf(document))
      for (const [, name = ''] of names.matchAll(/"([^"]+)"/g))
        if (!sections.get(document)?.has(name)) missing.push(`${file}: ${citation}`)
    }
    const bare = text.match(
      /(?<!docs\/spec\/)\b(?:wire-decisions|rest-service\.md|instances-manager\.md|requirements)(?=, "| \(")/,
    )
    if (bare) missing.push(`${file}: ${bare[0]} without docs/spec/`)
  }
  expect(missing).toEqual([])
  expect(cited).toBeGreaterThan(80)
})

test('nothing is implemented of the section that docs/spec/README.md says is not', () => {
  const readme = readFileSync(new URL('docs/spec/README.md', root), 'utf8')
  const [, title = ''] = /not implemented: the section "([^"]+)"/.exec(readme) ?? []
  const [, section = ''] = readFileSync(new URL('docs/spec/wire-decisions.md', root), 'utf8').split(`## ${title}\n`)
  const planned = [...section.matchAll(/[`?&](_[a-z]+)\b(?==)/g)].map(([, name = '']) => name)
  expect(planned.length).toBeGreaterThan(8)
  expect(planned.filter((name) => name in parameters && !['_dryrun', '_atomic', '_order'].includes(name))).toEqual([])
})
