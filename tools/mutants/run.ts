// Shows which mistakes the tests find: puts them into the code of the packages, one after the other, and runs the tests:
//   npm run mutants -- [--count 60] [--seed 1] [--whole] [--out mutants.json]
// Each is tried by the quick tests of its package, then by the other quick ones, and with --whole, when it survives these, by
// npm run test:servers. Changes files of this checkout, and puts them back: use a clone, in which nothing else works.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutationsOf, type Mutation } from './mutations.ts'

interface Mutant extends Mutation {
  readonly file: string
  readonly line: number
}

interface Result extends Mutant {
  /** What found it first. */
  readonly by: 'the build' | 'its package' | 'quick' | 'servers' | 'nothing'
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    whole: { type: 'boolean', default: false },
    out: { type: 'string', default: 'mutants.json' },
  },
})

/** As in `package.json`. */
const quick = 'core || !mixed'
const chosen = choose(Number(values.count), Number(values.seed))
process.stdout.write(
  `Seed ${values.seed}: ${chosen.length} mutants of ${new Set(chosen.map(packageOf)).size} packages\n`,
)
if (!passes([`--tags-filter=${quick}`])) throw new Error('The tests fail without a mutant: see npm test.')
const results: Result[] = []
for (const mutant of chosen) {
  const result = { ...mutant, by: tryOut(mutant) }
  results.push(result)
  writeFileSync(values.out, `${JSON.stringify(results, undefined, 2)}\n`)
  process.stdout.write(`${results.length} ${mutant.file}:${mutant.line} ${mutant.what}: found by ${result.by}\n`)
}
const counted = results.filter(({ by }) => by !== 'the build')
const found = counted.filter(({ by }) => by !== 'nothing')
const byQuick = found.filter(({ by }) => by !== 'servers')
process.stdout.write(`Of ${counted.length}: ${byQuick.length} by npm test, ${found.length} in all\n`)

/** From each package as many as its share of all places, and at least two; one of a file. */
function choose(count: number, seed: number): readonly Mutant[] {
  const random = randomOf(seed)
  const files = globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: (name) => /\.test\.ts$|\.d\.ts$|^testing(?:\.ts)?$|^ui$|^contract$|^pages$/.test(name),
  })
  const all = files.toSorted().flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const ofFile = mutationsOf(source)
    const mutation = ofFile[Math.floor(random() * ofFile.length)]
    if (!mutation) return []
    const line = source.slice(0, mutation.start).split('\n').length
    return [{ key: random(), size: ofFile.length, mutant: { ...mutation, file, line } }]
  })
  const total = all.reduce((sum, { size }) => sum + size, 0)
  return [...Map.groupBy(all, ({ mutant }) => packageOf(mutant)).values()].flatMap((ofPackage) => {
    const size = ofPackage.reduce((sum, one) => sum + one.size, 0)
    const share = Math.max(2, Math.round((count * size) / total))
    // Large files more often, as each of their places is as likely as others.
    const order = ofPackage.toSorted((a, b) => b.key ** (1 / b.size) - a.key ** (1 / a.size))
    return order.slice(0, share).map(({ mutant }) => mutant)
  })
}

function tryOut(mutant: Mutant): Result['by'] {
  const path = join(root, mutant.file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end))
  try {
    if (!builds(mutant)) return 'the build'
    const folder = `packages/${packageOf(mutant)}/`
    if (!passes([folder, `--tags-filter=${quick}`])) return 'its package'
    if (!passes([`--tags-filter=${quick}`, `--exclude=${folder}**`])) return 'quick'
    if (
      values.whole &&
      !passes(['--config', 'vitest.servers.config.ts', '--tags-filter=!(core && mixed) || continued'])
    )
      return 'servers'
    return 'nothing'
  } finally {
    writeFileSync(path, source)
    builds(mutant)
  }
}

/** Programs and other packages load what is built. Types are not looked at: a mistake of theirs would be found by these alone. */
function builds(mutant: Mutant): boolean {
  const folder = join(root, 'packages', packageOf(mutant))
  try {
    execFileSync(join(root, 'node_modules/.bin/tsup'), ['--no-clean'], { cwd: folder, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function passes(args: readonly string[]): boolean {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const limitMs = 45 * 60_000
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--bail=1', ...args], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, CI: 'true' },
    timeout: limitMs,
  })
  return status === 0
}

function packageOf({ file }: Pick<Mutant, 'file'>): string {
  return file.split('/')[1] ?? ''
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
