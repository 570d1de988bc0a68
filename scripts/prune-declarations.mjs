// Runs in a package's folder after `tsc`, which writes a declaration per source file: deletes those that no entry of
// package.json's "exports" leads to.
import fs from 'node:fs'
import path from 'node:path'

/** @type {Record<string, string | { types?: string }>} */
const exported = JSON.parse(fs.readFileSync('package.json', 'utf8')).exports
const queue = Object.values(exported).flatMap((target) =>
  typeof target === 'object' && target.types ? path.join(target.types) : [],
)
const reached = new Set(queue)
for (const file of queue) {
  for (const [, specifier = ''] of fs
    .readFileSync(file, 'utf8')
    .matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)/g)) {
    const next = path.join(path.dirname(file), specifier.replace(/\.js$/, '.d.ts'))
    if (reached.has(next)) continue
    reached.add(next)
    queue.push(next)
  }
}
for (const file of fs.globSync('dist/**/*.d.ts')) if (!reached.has(file)) fs.rmSync(file)
for (const folder of fs.globSync('dist/**/').toSorted().toReversed())
  if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
