// Shows which mistakes the tests find: puts mutants into the code of the packages and runs the tests:
//   npm run mutants -- [--count 60] [--seed 1] [--whole] [--out mutants.json]
// 1. Each mutant alone, with the quick tests of its package that import its file, the nearest first.
// 2. All that survive, together, with `npm test`. Of the tests that fail, halves of the mutants say which one each finds.
// 3. With --whole those that survive this, in the same way, with `npm run test:servers`.
// Results are kept in --out: what was interrupted continues there. Sources and builds of this checkout are changed and
// put back: use a clone in which nothing else works.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { choose, packageOf, type Mutant } from './choose.ts'
import { testsNear } from './near.ts'

type Stage = 'near' | 'quick' | 'servers'

interface Result extends Mutant {
  /** The last stage that did not find it. */
  survived?: Stage
  /** The file of the test that found it, and by which command. */
  found?: { readonly command: string; readonly test: string }
}

interface Failure {
  /** Files, those that end soonest first. None when the run itself failed: something throws outside of tests, or hangs. */
  readonly tests: readonly string[]
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
const outFile = join(root, values.out)
const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
/** Sources without mutants, by file, of those that have one now. */
const originals = new Map<string, string>()
/** Which mutants the build of a package has, where it has some. */
const built = new Map<string, string>()
let running: ChildProcess | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    put([])
    if (running?.pid) process.kill(-running.pid, 'SIGKILL')
    process.exit(130)
  })

if (execFileSync('git', ['status', '--porcelain', 'packages'], { cwd: root, encoding: 'utf8' }) !== '')
  throw new Error(
    'Files in "packages" differ from the last commit. Commit them, or put them back: git checkout packages',
  )
const results = readResults()
const placesOf = (mutants: readonly Mutant[]) => mutants.map(({ file, line }) => `${file}:${line}`)
say(`Seed ${values.seed}: ${results.length} mutants of ${new Set(results.map(packageOf)).size} packages`)
try {
  for (const result of results) if (!result.survived && !result.found) await tryNear(result)
  await tryTogether('near', 'quick', 'test')
  if (values.whole) await tryTogether('quick', 'servers', 'test:servers')
} finally {
  put([])
  await build()
  rmSync(folder, { recursive: true })
}
report()

/** Those of an earlier run, when it had the same arguments. */
function readResults(): Result[] {
  if (existsSync(outFile)) {
    const { seed, count, results } = JSON.parse(readFileSync(outFile, 'utf8')) as Record<string, unknown>
    if (seed === values.seed && count === values.count) return results as Result[]
    throw new Error(
      `${outFile} is of --seed ${String(seed)} --count ${String(count)}. Delete it, or name another --out.`,
    )
  }
  return choose(root, Number(values.count), Number(values.seed)).map((mutant) => ({ ...mutant }))
}

function save(result: Result, change: Pick<Result, 'survived' | 'found'>): void {
  Object.assign(result, change)
  const { seed, count } = values
  writeFileSync(outFile, `${JSON.stringify({ seed, count, results }, undefined, 2)}\n`)
  say(`${placesOf([result])[0]} ${result.what}: ${result.found ? `found by ${result.found.test}` : 'survives'}`)
}

async function tryNear(result: Result): Promise<void> {
  const near = testsNear(root, result.file)
  put([result])
  const failure = near.length > 0 ? await run('test', near, ['--bail=1'], 5) : undefined
  put([])
  const found = failure && { command: 'npm test', test: failure.tests[0] ?? 'an error outside of tests, or no end' }
  save(result, found ? { found } : { survived: 'near' })
}

async function tryTogether(before: Stage, stage: Stage, script: string): Promise<void> {
  let group = results.filter(({ survived, found }) => survived === before && !found)
  if (group.length === 0) return
  say(`${group.length} together: npm run ${script}`)
  let failing = await failingWith(group, script)
  while (failing.length > 0) {
    say(`Fail: ${failing.join(' ')}`)
    const few = failing.slice(0, 8)
    const broken = await failingWith([], script, few)
    const findings = await search(
      group,
      script,
      few.filter((test) => !broken.includes(test)),
    )
    for (const [result, test] of findings) save(result, { found: { command: `npm run ${script}`, test } })
    group = group.filter((result) => !findings.has(result))
    // What fails without a mutant, or only sometimes, is left out.
    const others = findings.size > 0 ? failing.filter((test) => !broken.includes(test)) : failing.slice(few.length)
    failing = others.length > 0 && group.length > 0 ? await failingWith(group, script, others) : []
  }
  for (const result of group) save(result, { survived: stage })
}

/** Which mutants of a group some tests find. */
async function search(
  group: readonly Result[],
  script: string,
  tests: readonly string[],
): Promise<ReadonlyMap<Result, string>> {
  const failing = tests.length > 0 ? await failingWith(group, script, tests) : []
  const [first] = failing
  const [only, ...more] = group
  if (!first || !only) return new Map()
  if (more.length === 0) return new Map([[only, first]])
  const half = Math.ceil(group.length / 2)
  return new Map([
    ...(await search(group.slice(0, half), script, failing)),
    ...(await search(group.slice(half), script, failing)),
  ])
}

/** @param tests all of the tier by default */
async function failingWith(group: readonly Result[], script: string, tests: readonly string[] = []) {
  put(group)
  await build(group)
  const failure = await run(script, tests)
  if (failure?.tests.length === 0)
    throw new Error(`"npm run ${script}" fails, but no test does, with ${placesOf(group).join(', ') || 'no mutant'}.`)
  return failure?.tests ?? []
}

/** Has these mutants in the sources, and no others. */
function put(mutants: readonly Mutant[]): void {
  for (const [file, source] of originals) writeFileSync(join(root, file), source)
  originals.clear()
  for (const { file, start, end, was, text } of mutants) {
    const source = readFileSync(join(root, file), 'utf8')
    if (source.slice(start, end) !== was) throw new Error(`${file} has changed: delete ${outFile}.`)
    originals.set(file, source)
    writeFileSync(join(root, file), source.slice(0, start) + text + source.slice(end))
  }
}

/** Programs and other packages load what is built. Without types: a mistake of these is found by no test. */
async function build(mutants: readonly Mutant[] = []): Promise<void> {
  const wanted = Map.groupBy(mutants, packageOf)
  const packages = globSync('packages/*/package.json', { cwd: root }).map((file) => {
    const { name, scripts, devDependencies } = readJson(join(root, file))
    return { name: file.split('/')[1] ?? '', full: String(name), script: scripts?.['build'], bundled: devDependencies }
  })
  const changed = packages.filter(({ name }) => (built.get(name) ?? '') !== placesOf(wanted.get(name) ?? []).join())
  for (const { name, script, bundled = {} } of packages) {
    const steps = (script ?? '').split(' && ').filter((step) => !step.startsWith('tsc '))
    const isBundler = script?.includes('vite ') && changed.some(({ full }) => full in bundled)
    if (script && (isBundler || changed.some((each) => each.name === name))) {
      const command = steps.join(' && ').replace(/^tsup/, 'tsup --no-clean')
      if ((await shell(command, join(root, 'packages', name))) !== 0) throw new Error(`Could not build ${name}.`)
    }
    built.set(name, placesOf(wanted.get(name) ?? []).join())
  }
}

/** As the script of `package.json` does, but not the one before it, which would build what is to be built here. */
async function run(script: string, tests: readonly string[], args: readonly string[] = [], limitMinutes = 90) {
  const output = join(folder, 'run.json')
  rmSync(output, { force: true })
  const command = readJson(join(root, 'package.json')).scripts?.[script]
  if (!command) throw new Error(`package.json has no script "${script}".`)
  const all = [
    command,
    ...tests,
    ...args,
    '--reporter=json',
    `--outputFile=${output}`,
    '--testTimeout=60000',
    '--hookTimeout=120000',
  ]
  if ((await shell(all.join(' '), root, limitMinutes)) === 0) return undefined
  if (!existsSync(output)) return { tests: [] } satisfies Failure
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
    readonly testResults: readonly { name: string; status: string; startTime: number; endTime: number }[]
  }
  const failed = testResults.filter(({ status }) => status === 'failed')
  const bySpeed = failed.toSorted((a, b) => a.endTime - a.startTime - (b.endTime - b.startTime))
  return { tests: bySpeed.map(({ name }) => name.slice(root.length)) } satisfies Failure
}

/** @returns exit code; another than 0 when it does not end */
async function shell(command: string, cwd: string, limitMinutes = 90): Promise<number> {
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const child = spawn(command, {
    cwd,
    shell: true,
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, PATH: path },
  })
  running = child
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), limitMinutes * 60_000)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 1))
    })
  } finally {
    clearTimeout(timer)
    running = undefined
  }
}

function report(): void {
  const rows = results.map(({ file, line, what, found, survived = '' }) => {
    const place = file.split('/').slice(2).join('/')
    const by = found ? `${found.command}: ${found.test}` : `survives (${survived})`
    return `| ${packageOf({ file })} | ${place}:${line} | ${what.replaceAll('|', String.raw`\|`)} | ${by} |`
  })
  say(['| Package | Place | What | Found by |', '| --- | --- | --- | --- |', ...rows].join('\n'))
  const found = results.flatMap((result) => result.found ?? [])
  const quick = found.filter(({ command }) => command !== 'npm run test:servers')
  say(`Of ${results.length}: ${quick.length} by npm test, ${found.length} in all`)
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8')) as {
    readonly name?: string
    readonly scripts?: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
