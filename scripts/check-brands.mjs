// Checks that errors with a brand are recognised by it: `instanceof` does not know those of another installed copy.
import fs from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const isSource = (/** @type {string} */ file) => !/node_modules|[/\\]dist[/\\]/.test(file)
const files = fs
  .globSync(['packages/*/src/**/*.ts', 'packages/*/README.md', 'docs/*.md', 'examples/*/**/*.{ts,js,md}'], {
    cwd: root,
  })
  .filter(isSource)
const texts = new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))

const branded = [...texts.values()].flatMap((text) =>
  [...text.matchAll(/static is\(\w+: unknown\): \w+ is (\w+)/g)].map(([, name]) => name),
)
const pattern = new RegExp(`instanceof (${branded.join('|')})\\b`)
for (const [file, text] of texts) {
  for (const [at, line] of text.split('\n').entries()) {
    const name = pattern.exec(line)?.[1]
    if (name === undefined) continue
    process.stderr.write(
      `${file}:${at + 1}: write ${name}.is(…): "instanceof ${name}" does not know errors of another copy.\n`,
    )
    process.exitCode = 1
  }
}
if (branded.length === 0) throw new Error('No class has a brand; this check finds nothing any more.')
