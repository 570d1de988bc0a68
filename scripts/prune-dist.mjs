// Runs in a package's folder and deletes from `dist` what no entry or program of package.json leads to: declarations,
// of which `tsc` writes one per source file, and modules of earlier builds, which a build from turbo's cache leaves there.
import fs from 'node:fs'
import path from 'node:path'

/** @type {{ exports: Record<string, string | Record<string, string>>, bin?: Record<string, string> }} */
const { exports, bin = {} } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
const entries = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? target : Object.values(target),
)
const reached = new Set([...entries, ...Object.values(bin)].map((file) => path.join(file)))
// Files that are added meanwhile come, too.
for (const file of reached) {
  if (!fs.existsSync(file)) throw new Error(`${file}, which package.json names, has not been built.`)
  for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(/['"](\.\.?\/[^'"\s]+\.js)['"]/g)) {
    const found = path.join(path.dirname(file), file.endsWith('.d.ts') ? name.replace(/\.js$/, '.d.ts') : name)
    if (fs.existsSync(found)) reached.add(found)
  }
}
// Folders of other modules are assets, which are built by others and loaded by their names.
for (const file of fs.globSync(['dist/**/*.d.ts', 'dist/*.js', 'dist/*.js.map']))
  if (!reached.has(file.replace(/\.map$/, ''))) fs.rmSync(file)
for (const folder of fs.globSync('dist/**/').toSorted().toReversed())
  if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
