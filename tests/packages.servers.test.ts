import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { undocumentedIn } from '../tools/api/undocumented.ts'
import { problemsOfChangeset, problemsOfManifest, publishedPackages, repository } from '../scripts/packages.mjs'
import { absoluteLinks, relativeLinks } from '../scripts/readme-links.mjs'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface PackageJson {
  name: string
  version: string
  private?: boolean
  homepage: string
  exports: Record<string, string | { default: string }>
  bin?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

interface Lockfile {
  packages: Record<string, { link?: true }>
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const published = globSync('packages/*/package.json', { cwd: root })
  .map((file) => ({ folder: dirname(file), json: readJson(join(root, file)) as PackageJson }))
  .filter(({ json }) => !json.private)
const tarball = ({ name, version }: PackageJson) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
const specifiers = published.flatMap(({ json }) =>
  Object.keys(json.exports).map((subpath) => json.name + subpath.slice(1)),
)

let packed: string
/** What `npm run pack:all` printed. */
let packing: string
let consumer: string
const unpacked = ({ name }: PackageJson) => join(packed, 'unpacked', name)

beforeAll(async () => {
  packed = mkdtempSync(join(tmpdir(), 'steward-packages-'))
  packing = (await run(process.execPath, [join(root, 'scripts/pack-all.mjs'), packed])).stdout
  for (const { json } of published) {
    mkdirSync(unpacked(json), { recursive: true })
    await execute('tar', ['-xzf', join(packed, tarball(json)), '--strip-components=1', '-C', unpacked(json)])
  }
  consumer = join(packed, 'consumer')
  mkdirSync(consumer)
})

afterAll(() => rmSync(packed, { recursive: true, force: true }))

describe.each(published)('the tarball of $json.name', ({ json, folder }) => {
  it('holds what package.json promises, a README and the licence, and no tests', () => {
    const files = filesOf(unpacked(json))
    const promised = [...Object.values(json.exports), ...Object.values(json.bin ?? {})].map((target) =>
      (typeof target === 'string' ? target : target.default).replace('./', ''),
    )
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', ...promised]))
    expect(files.filter((file) => /\.test\.|^src\//.test(file))).toEqual([])
    expect(readFileSync(join(root, folder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'))
  })

  it('holds no module and no declaration that its entries do not reach', () => {
    const files = filesOf(unpacked(json)).filter((file) => !assets.test(file))
    const modules = files.filter((file) => /\.(?:js|d\.ts)$/.test(file))
    expect(modules.length).toBeGreaterThan(2)
    const reached = reachedFiles(unpacked(json), json)
    expect(modules.filter((file) => !reached.has(file))).toEqual([])
    const maps = files.filter((file) => file.endsWith('.map'))
    expect(maps.filter((file) => !reached.has(file.replace(/\.map$/, '')))).toEqual([])
  })

  it('has declarations that need no package which is installed only for some uses', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = json
    const optional = Object.keys(peerDependenciesMeta ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional)
    const there = [...Object.keys({ ...dependencies, ...peerDependencies }), json.name].filter(
      (name) => !optional.includes(name) || name === 'vitest',
    )
    const declarations = filesOf(unpacked(json)).filter((file) => file.endsWith('.d.ts'))
    const wrong = declarations.flatMap((file) =>
      [...readFileSync(join(unpacked(json), file), 'utf8').matchAll(/(?:from |import\()['"]([^.'"][^'"]*)['"]/g)]
        .map(([, name = '']) => name)
        .filter((name) => !name.startsWith('node:') && !there.some((one) => name === one || name.startsWith(`${one}/`)))
        .map((name) => `${file}: ${name}`),
    )
    expect(declarations.length).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  })

  it('has a README whose links lead somewhere from the page of a registry', () => {
    const text = readFileSync(join(unpacked(json), 'README.md'), 'utf8')
    const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link)
    const isHere = (link: string) =>
      link.startsWith(repository)
        ? existsSync(join(root, link.slice(repository.length).replace(/^\/(?:blob|tree)\/main\//, '')))
        : link.startsWith('https:') || existsSync(join(unpacked(json), link))
    expect(links.filter((link) => !isHere(link))).toEqual([])
    // Packing leaves the README of the repository as it was.
    const source = readFileSync(join(root, folder, 'README.md'), 'utf8')
    expect(source).not.toContain(repository)
    expect(absoluteLinks(source, join(root, folder))).toBe(text)
    expect(relativeLinks(text, join(root, folder))).toBe(source)
  })

  it('is clean for publint and attw', async () => {
    const data = new Uint8Array(readFileSync(join(packed, tarball(json))))
    const { messages } = await publint({ pack: { tarball: data.buffer }, strict: true })
    expect(messages).toEqual([])
    const excludeEntrypoints = Object.keys(json.exports).filter((subpath) => subpath.endsWith('.json'))
    const analysis = await checkPackage(createPackageFromTarballData(data), { excludeEntrypoints })
    const problems = analysis.types ? analysis.problems : []
    // The packages are ES modules only.
    const forOthers = new Set(['node10', 'node16-cjs'])
    expect(
      problems.filter((problem) => !('resolutionKind' in problem && forOthers.has(problem.resolutionKind))),
    ).toEqual([])
  })
})

it('published packages have one version, with an entry in each CHANGELOG.md, which all dependencies name', () => {
  const [version = ''] = new Set(published.map(({ json }) => json.version))
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  for (const { json, folder } of published) {
    expect([json.name, json.version]).toEqual([json.name, version])
    const changelog = readFileSync(join(root, folder, 'CHANGELOG.md'), 'utf8')
    expect(changelog.startsWith(`# ${json.name}\n\n## ${version}\n\n`)).toBe(true)
    expect(readFileSync(join(unpacked(json), 'CHANGELOG.md'), 'utf8')).toBe(changelog)
    expect(changelog).toContain(`[its documentation](${json.homepage})`)
  }
  const names = published.map(({ json }) => json.name)
  const ranges = globSync('{packages,examples}/*/package.json', { cwd: root })
    .concat('bench/package.json')
    .flatMap((file) => {
      const json = readJson(join(root, file)) as PackageJson
      const needs = Object.entries({ ...json.dependencies, ...json.devDependencies, ...json.peerDependencies })
      return needs.filter(([name]) => names.includes(name)).map(([name, range]) => [file, name, range])
    })
  expect(ranges.length).toBeGreaterThan(20)
  expect(ranges.filter(([, , range]) => range !== `^${version}`)).toEqual([])
  // `changeset version` keeps it so.
  expect((readJson(join(root, '.changeset/config.json')) as { fixed: unknown }).fixed).toEqual([names.toSorted()])
})

it('npm run pack:all prints how its tarballs are installed', () => {
  expect(packing).toContain(`\nnpm install ${join(packed, '*.tgz')}\n`)
})

it('a change of the public API without its report is refused, with the command that updates it', async () => {
  const folder = join(packed, 'api')
  cpSync(join(root, 'api'), folder, { recursive: true })
  const file = join(folder, 'rest-client.api.md')
  writeFileSync(file, readFileSync(file, 'utf8').replace('createClient', 'makeClient'))
  rmSync(join(folder, 'rest-core.errors.api.md'))
  const args = [join(root, 'tools/api/reports.ts'), '--check', folder, 'rest-client', 'rest-core.errors']
  await expect(execute(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/api\/rest-client\.api\.md, api\/rest-core\.errors\.api\.md\.\nRun "npm run api"/),
  })
})

it('undocumentedIn() names exported functions and values without a doc comment, not types', () => {
  const exports = ['function make(): void;', 'const most: number;', 'abstract class Base {', 'interface Options {']
  const report = (mark: string) => exports.map((text) => `${mark}\nexport ${text}\n`).join('\n')
  expect(undocumentedIn(report('// @public (undocumented)'))).toEqual(['make', 'most', 'Base'])
  expect(undocumentedIn(report('// @public'))).toEqual([])
})

it('problemsOfManifest() names what does not fit the repository, and the command that fixes it', () => {
  const [{ folder, json } = { folder: '', json: {} }] = publishedPackages()
  expect(problemsOfManifest(folder, json)).toEqual([])
  const moved = { ...json, repository: { type: 'git', url: 'git+https://example.com/fork.git' }, keywords: [] }
  const problems = problemsOfManifest(folder, moved)
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(
    /"repository" must be .*"directory":"packages\/app-server".*node scripts\/packages.mjs --fix/,
  )
})

it('problemsOfChangeset() refuses what would publish 1.0, and what no release takes', () => {
  const text = (name: string, bump: string) =>
    `---\n'@steward/rest-core': patch\n'${name}': ${bump}\n---\n\nAnswer faster.\n`
  expect(problemsOfChangeset('faster.md', text('@steward/rest-koa', 'minor'))).toEqual([])
  expect(problemsOfChangeset('faster.md', text('@steward/rest-koa', 'major'))).toEqual([
    expect.stringContaining('"major" would publish version 1.0 of @steward/rest-koa'),
  ])
  for (const name of ['@steward/page-kit', '@steward/no-such-package'])
    expect(problemsOfChangeset('faster.md', text(name, 'minor'))).toEqual([
      expect.stringContaining(`${name} is not published`),
    ])
})

describe('an empty folder with the tarballs installed', () => {
  beforeAll(async () => {
    writeConsumer()
    const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags], consumer)
    for (const name of ['@types/node', '@types/pg', 'typescript', 'vitest', ...optionalPeers()]) borrow(name)
  })

  it('imports every subpath', async () => {
    writeFileSync(join(consumer, 'imports.js'), importingProgram)
    const { stdout } = await run(process.execPath, ['imports.js', ...specifiers], consumer)
    expect(JSON.parse(stdout)).toEqual({})
  })

  it('type-checks code that uses every subpath', async () => {
    const lines = specifiers
      .filter((specifier) => !specifier.endsWith('.json'))
      .map(
        (specifier, at) =>
          `import * as module${at} from '${specifier}'\nexport type Names${at} = keyof typeof module${at}`,
      )
    writeFileSync(join(consumer, 'index.ts'), `${lines.join('\n')}\n`)
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    await run(bin('tsc'), [...flags, '--skipLibCheck', 'false', 'index.ts'], consumer)
  })

  it('serves the tester page, with all its parts bundled', async () => {
    writeFileSync(join(consumer, 'page.js'), testerProgram)
    const { stdout } = await run(process.execPath, ['page.js'], consumer)
    const [page, ...files] = stdout.trimEnd().split('\n')
    expect(page).toBe('200 text/html; charset=utf-8')
    expect(files).toEqual([
      '200 image/svg+xml',
      '200 font/woff2',
      '200 text/css; charset=utf-8',
      '200 text/javascript; charset=utf-8',
    ])
  })

  it('makes stores with the bundled part of knex, which takes texts and statements of the installed one', async () => {
    mkdirSync(join(consumer, 'seeds'))
    writeFileSync(
      join(consumer, 'seeds', 'one.cjs'),
      `exports.seed = (knex) => knex('note').insert({ text: 'seed' })\n`,
    )
    writeFileSync(join(consumer, 'stores.js'), storesProgram)
    const { stdout } = await run(process.execPath, ['stores.js'], consumer)
    // knex prints the timeout.
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      loaded: [],
      texts: [null, 'a'],
      statements: ['a', 'b'],
      inserted: 'C',
      seeded: true,
      loadedForMigrations: true,
      timeout: true,
      given: 1,
    })
    const licences = readFileSync(join(consumer, 'node_modules/@steward/db-adapters/dist/knex-licences.txt'), 'utf8')
    for (const name of ['knex', 'lodash', 'tarn']) expect(licences.split('\n')).toContain(name)
  })

  const programs = published.flatMap(({ json }) => Object.keys(json.bin ?? {}).map((name) => ({ name, json })))
  it.each(programs)('runs $name --help and --version', async ({ name, json }) => {
    const program = join(consumer, 'node_modules', '.bin', name)
    expect((await run(process.execPath, [program, '--help'], consumer)).stdout).toContain(name)
    expect((await run(process.execPath, [program, '--version'], consumer)).stdout).toBe(`${json.version}\n`)
  })
})

/** Prints which ones cannot be imported or export nothing, and why. */
const importingProgram = `
const problems = {}
for (const specifier of process.argv.slice(2)) {
  try {
    const options = specifier.endsWith('.json') ? { with: { type: 'json' } } : {}
    if (Object.keys(await import(specifier, options)).length === 0) problems[specifier] = 'exports nothing'
  } catch (error) {
    problems[specifier] = error.message
  }
}
console.log(JSON.stringify(problems))
`

const testerProgram = `
import Koa from 'koa'
import { testerRouter } from '@steward/rest-koa'
const server = new Koa().use(testerRouter().routes()).listen(0, '127.0.0.1', async () => {
  const ask = async (address) => {
    const answer = await fetch(address)
    console.log(answer.status, answer.headers.get('content-type'))
    return answer.text()
  }
  const page = new URL('http://127.0.0.1:' + server.address().port + '/api/tester')
  for (const [, file] of (await ask(page)).matchAll(/(?:href|src)="(tester.[^"]*)"/g)) await ask(new URL(file, page))
  server.close()
})
`

/** Prints which files of knex a store has loaded, and what it answers beside an instance of the installed knex. */
const storesProgram = `
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createStore } from '@steward/db-adapters'
import { createModel } from '@steward/rest-core'
const { cache } = createRequire(import.meta.url)
const loaded = () =>
  Object.keys(cache).filter((file) => /node_modules.(?:knex.(?!lib.util.timeout)|lodash|tarn)/.test(file))
const store = await createStore({ url: 'sqlite:stores.db' })
const { knex } = store
const answers = { loaded: loaded() }
const { default: makeKnex } = await import('knex')
const other = makeKnex({ client: 'better-sqlite3', connection: { filename: 'stores.db' }, useNullAsDefault: true })
const migrations = { name: 'one', up: (knex) => knex.schema.createTable('note', (table) => table.string('text')), down() {} }
const migrationSource = {
  getMigrations: async () => [migrations],
  getMigrationName: ({ name }) => name,
  getMigration: async (migration) => migration,
}
await knex.migrate.latest({ migrationSource })
await knex.seed.run({ directory: 'seeds' })
answers.seeded = (await knex('note').where({ text: 'seed' }).delete()) === 1
answers.loadedForMigrations = loaded().length > 0
await knex('note').insert([{ text: 'b' }, { text: null }, { text: 'a' }])
const lower = other.raw('lower(??)', ['text'])
const sorted = await knex('note').whereNot('text', other.raw('?', ['b'])).orWhereNull('text').orderBy(lower, 'asc', 'first')
answers.texts = sorted.map(({ text }) => text)
const named = await knex
  .with('named', other('note').whereNotNull('text'))
  .select('named.text')
  .from('named')
  .join(other('note').distinct('text').as('more'), 'more.text', 'named.text')
  .whereIn('named.text', other('note').select('text'))
  .orderBy('named.text')
answers.statements = named.map(({ text }) => text)
await knex('note').insert({ text: other.raw('upper(?)', ['c']) })
answers.inserted = (await knex('note').where({ text: 'C' }).first('text')).text
await other.destroy()
knex.client.pool.acquireTimeoutMillis = 20
await knex.transaction(async () => {
  await knex.select(1).catch((error) => void (answers.timeout = error instanceof makeKnex.KnexTimeoutError))
})
await store.close()
const mine = makeKnex({ client: 'better-sqlite3', connection: { filename: 'given.db' }, useNullAsDefault: true })
const given = await createStore({ knex: mine })
const model = createModel([{ name: 'Note', timestamps: false, fields: { not_text: { type: 'string' } } }])
const note = model.object('Note')
await given.sync(model)
await given.insert(note, { not_text: 'x' }, note.selection)
answers.given = await given.count(note)
await given.close()
await mine.destroy()
console.log(JSON.stringify(answers))
`

/**
 * A package.json that wants the tarballs, and a lockfile with the versions of this repository's lockfile, so that the
 * installation tests what we test with, and asks no registry what is newest. npm drops what is not needed from it.
 */
function writeConsumer(): void {
  const dependencies = Object.fromEntries(published.map(({ json }) => [json.name, `file:../${tarball(json)}`]))
  const packages: Record<string, object> = { '': { dependencies } }
  const { packages: locked } = readJson(join(root, 'package-lock.json')) as Lockfile
  for (const [key, entry] of Object.entries(locked)) {
    const { folder, json } = published.find((one) => key.startsWith(`${one.folder}/`)) ?? {}
    const place = folder && json ? key.replace(folder, `node_modules/${json.name}`) : key
    if (place.startsWith('node_modules/') && !entry.link) packages[place] = entry
  }
  for (const { json } of published) {
    const { version, bin: bins, dependencies: needs, peerDependencies, peerDependenciesMeta } = json
    const relations = { dependencies: needs, peerDependencies, peerDependenciesMeta }
    packages[`node_modules/${json.name}`] = { version, resolved: dependencies[json.name], bin: bins, ...relations }
  }
  const manifest = { private: true, type: 'module', dependencies }
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(consumer, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
}

/** Built by bundlers for browsers, or templates of applications: loaded by their names. */
const assets = /^dist\/(?:ui|tester|templates)\//

/** Files of a folder, relative to it. */
function filesOf(folder: string): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

/** What the entries and programs of a package load, or refer to as `./name.js`, and so on; paths relative to it. */
function reachedFiles(folder: string, { exports, bin: bins = {} }: PackageJson): ReadonlySet<string> {
  const entries = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? target : Object.values(target),
  )
  const reached = new Set([...entries, ...Object.values(bins)].map((file) => join(file)))
  for (const file of reached) {
    for (const [, name = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/['"](\.\.?\/[^'"\s]+\.js)['"]/g)) {
      const found = join(dirname(file), file.endsWith('.d.ts') ? name.replace(/\.js$/, '.d.ts') : name)
      if (existsSync(join(folder, found))) reached.add(found)
    }
  }
  return reached
}

/** Packages that a consumer brings only for some subpaths: the drivers. */
function optionalPeers(): string[] {
  const names = published.flatMap(({ json }) => Object.keys(json.peerDependenciesMeta ?? {}))
  return [...new Set(names)].filter((name) => name !== 'vitest')
}

/** Lets the consumer use a package of this repository's node_modules, unless it has its own. */
function borrow(name: string): void {
  const place = join(consumer, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  if (!existsSync(place)) symlinkSync(join(root, 'node_modules', name), place, 'junction')
}

/** Runs a program to its end; what it printed becomes the error when it fails. */
async function run(command: string, args: string[], cwd = root): Promise<{ stdout: string }> {
  try {
    return await execute(command, args, { cwd, env: { ...process.env, NO_COLOR: '1' } })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}
