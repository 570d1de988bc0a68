import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../scripts/packages.mjs'

interface Manifest {
  readonly exports?: { readonly '.': string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const examples = globSync('examples/*/', { cwd: root }).map((path) => path.replace(/\/$/, ''))
const manifests = globSync('examples/{*,*/plugin}/package.json', { cwd: root })
const manifestOf = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest
/** What users copy: tests use servers of this repository. What browsers load comes from a server. */
const code = globSync('examples/*/**/*.{ts,js,mjs}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'page'].includes(name) || name.endsWith('.test.ts'),
})

it.each(examples)('%s says in its first line what it shows', (example) => {
  expect(readFileSync(join(root, example, 'README.md'), 'utf8')).toMatch(/^# \S.{10,}\n\n\S/)
})

it.each(code)('%s imports its own files, Node, and packages that it declares', (file) => {
  const top = manifests.map(dirname).findLast((folder) => file.startsWith(`${folder}${sep}`))
  const declared = top === undefined ? [] : neededBy(manifestOf(join(top, 'package.json')))
  const example = join(root, file.split(sep).slice(0, 2).join(sep))
  const wrong = importsOf(readFileSync(join(root, file), 'utf8')).filter((name) => {
    if (isBuiltin(name)) return false
    if (!name.startsWith('.')) return !declared.some((one) => name === one || name.startsWith(`${one}/`))
    const target = resolve(root, dirname(file), name)
    return relative(example, target).startsWith('..') || !existsSync(target)
  })
  expect(wrong).toEqual([])
})

it.each(manifests.filter((file) => manifestOf(file).exports))(
  '%s, a plug-in, leaves the packages of Steward to what loads it',
  (file) => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifestOf(file)
    expect(Object.keys(dependencies ?? {}).filter((name) => name.startsWith('@steward/'))).toEqual([])
    for (const name of Object.keys(peerDependencies ?? {}))
      expect(peerDependenciesMeta?.[name], name).toEqual({ optional: true })
  },
)

function neededBy({ dependencies, peerDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...peerDependencies })
}

function importsOf(source: string): string[] {
  return [...source.matchAll(/^(?:import|export)\b[^'"=\n]*?(?:from\s*)?'([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  )
}

describe('outside of the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-examples-'))
  beforeAll(() => {
    for (const manifest of manifests) {
      const copy = join(folder, dirname(manifest))
      cpSync(join(root, dirname(manifest)), copy, {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts') && !path.endsWith('node_modules'),
      })
      // What npm would install.
      for (const name of neededBy(manifestOf(manifest))) {
        const at = join(copy, 'node_modules', name)
        mkdirSync(dirname(at), { recursive: true })
        symlinkSync(join(root, 'node_modules', name), at)
      }
    }
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('plug-ins and programs load with the packages that they declare', () => {
    const entries = manifests
      .map((file) => join(dirname(file), manifestOf(file).exports?.['.'] ?? 'app.ts'))
      .filter((file) => existsSync(join(root, file)))
    const program = entries.map((file) => `await import(${JSON.stringify(join(folder, file))})`).join('\n')
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: folder, stdio: 'pipe' })
    expect(entries.length).toBeGreaterThan(9)
  })

  it('applications are served', () => {
    const cli = join(root, 'packages/app-server/dist/cli.js')
    const answer = execFileSync(process.execPath, [cli, join(folder, 'examples/catalog'), '--check'], { stdio: 'pipe' })
    expect(JSON.parse(String(answer))).toMatchObject({ problems: [] })
  })
})
