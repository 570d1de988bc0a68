import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageOf } from './choose.ts'

/** Vitest starts them in one or two rounds. */
const atMost = 8

/**
 * Quick tests of the package that import a file: first that with its name, then those of its folder, then those through as
 * few other files as possible. Those of other packages load its build.
 */
export function testsNear(root: string, file: string): readonly string[] {
  const importers = importersIn(root, packageOf({ file }))
  const found = new Set([file])
  // What is added meanwhile comes, too: those one import further away.
  for (const each of found) for (const importer of importers.get(each) ?? []) found.add(importer)
  const tests = [...found].filter((each) => /(?<!\.(?:servers|deep))\.test\.ts$/.test(each))
  const rank = (test: string) =>
    test.startsWith(file.replace(/ts$/, '')) ? 0 : dirname(test) === dirname(file) ? 1 : 2
  return tests.toSorted((a, b) => rank(a) - rank(b)).slice(0, atMost)
}

/** Which files of a package import a file. */
function importersIn(root: string, name: string): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const file of globSync(`packages/${name}/src/**/*.{ts,tsx}`, { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, path = ''] of source.matchAll(/(?:from|import|import\() ?'(\.[^']+)'/g)) {
      const target = join(dirname(file), path).replace(/\.js$/, '')
      const imported = [`${target}.ts`, `${target}.tsx`].find((each) => existsSync(join(root, each)))
      if (imported) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return importers
}
