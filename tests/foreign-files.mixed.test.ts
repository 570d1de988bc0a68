/** @module-tag mixed */
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exceptedRules, exceptions, matches } from '../tools/lint/rooms.js'

const root = join(import.meta.dirname, '..')
const core = 'packages/manager-core/src/lib'
const roomsFile = 'tools/lint/rooms.js'
const first = 'export const exceptions = ['
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-lint-'))
  for (const path of ['.oxlintrc.json', 'tools/lint']) cpSync(join(root, path), join(folder, path), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The rules of this project that refuse each of these files, by the settings of the project. */
async function refusals(
  files: Readonly<Record<string, string>>,
  { withoutExceptions = false }: { readonly withoutExceptions?: boolean } = {},
): Promise<Readonly<Record<string, readonly string[]>>> {
  const rooms = readFileSync(join(root, roomsFile), 'utf8')
  const [start, end] = [rooms.indexOf(first), rooms.indexOf('\n]\n')]
  if (withoutExceptions && (start === -1 || end === -1)) throw new Error(`${roomsFile} has another form.`)
  writeFileSync(
    join(folder, roomsFile),
    withoutExceptions ? `${rooms.slice(0, start)}${first}]\n${rooms.slice(end + 3)}` : rooms,
  )
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, core, path)), { recursive: true })
    writeFileSync(join(folder, core, path), text)
  }
  const { stdout } = await execa(join(root, 'node_modules/.bin/oxlint'), ['--format', 'json', 'packages'], {
    cwd: folder,
    reject: false,
    // A checker of types has nothing to go by here.
    localDir: root,
  })
  rmSync(join(folder, 'packages'), { recursive: true })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] }
  const rulesOf = (path: string) =>
    diagnostics
      .filter(({ filename }) => filename.endsWith(`${core}/${path}`))
      .map(({ code }) => code.replace(/^manager\((.*)\)$/, '$1'))
  return Object.fromEntries(Object.keys(files).map((path) => [path, rulesOf(path)]))
}

const namesOf = (names: string) => names.split(' ')

const sins: readonly (readonly [rule: string, text: string])[] = [
  [
    'remove-by-room',
    "import { rm } from 'node:fs/promises'\nexport const go = (at: string) => rm(at, { recursive: true, force: true })",
  ],
  [
    'remove-by-room',
    "import { rmSync } from 'node:fs'\nexport const go = (at: string) => rmSync(at, { force: true, recursive: true })",
  ],
  [
    'remove-by-room',
    "import { rm } from 'node:fs/promises'\nexport const go = (at: string, how: object) => rm(at, how)",
  ],
  [
    'remove-by-room',
    "import { rm } from 'node:fs/promises'\nexport const go = (at: string, how: object) => rm(at, { ...how })",
  ],
  ['remove-by-room', "import { rm as remove } from 'node:fs/promises'\nexport const go = (at: string) => remove(at)"],
  ['remove-by-room', "import * as fs from 'node:fs'\nexport const go = (at: string) => fs.readFileSync(at)"],
  ['remove-by-room', "import fs from 'node:fs'\nexport const go = (at: string) => fs.readFileSync(at)"],
  ['remove-by-room', "export const go = async (at: string) => (await import('node:fs')).readFileSync(at)"],
  ['copy-by-room', "import { cp } from 'node:fs/promises'\nexport const go = (at: string) => cp(at, '/tmp/x')"],
  ['copy-by-room', "import { cpSync } from 'node:fs'\nexport const go = (at: string) => cpSync(at, '/tmp/x')"],
  ...[
    'createReadStream',
    'readFileSync',
    'readdirSync',
    'opendirSync',
    'realpathSync',
    'openAsBlob',
    'globSync',
    'chownSync',
  ].map((name) => ['read-by-room', `import { ${name} } from 'node:fs'\nexport const go = ${name}`] as const),
  ...['readFile', 'readdir', 'opendir', 'realpath', 'copyFile', 'chown'].map(
    (name) => ['read-by-room', `import { ${name} } from 'node:fs/promises'\nexport const go = ${name}`] as const,
  ),
  ...namesOf('stat lstat open rename chmod utimes symlink link mkdir truncate access writeFile appendFile').flatMap(
    (name) => [
      ['path-by-room', `import { ${name}Sync } from 'node:fs'\nexport const go = ${name}Sync`] as const,
      ['path-by-room', `import { ${name} } from 'node:fs/promises'\nexport const go = ${name}`] as const,
    ],
  ),
  ...namesOf('watch watchFile createWriteStream stat').map(
    (name) => ['path-by-room', `import { ${name} } from 'node:fs'\nexport const go = ${name}`] as const,
  ),
  ['path-by-room', "import { watch } from 'node:fs/promises'\nexport const go = watch"],
  ['path-by-room', "import { rename as move } from 'node:fs/promises'\nexport const go = move"],
  ['path-by-room', "export { open } from 'node:fs/promises'"],
  ['read-by-room', "export { readFileSync } from 'node:fs'"],
  ['remove-by-room', "export * from 'node:fs'"],
  ['remove-by-room', "export const go = process.getBuiltinModule('node:fs').readFileSync"],
  ['start-by-room', "import { spawn } from 'node:child_process'\nexport const go = spawn"],
  ['start-by-room', "import { execa } from 'execa'\nexport const go = execa"],
  ['start-by-room', "export const go = async (at: string) => (await import('execa')).execa(at)"],
]

describe('the linter', () => {
  it('refuses each way around the room that handles the files of accounts', { tags: 'core' }, async () => {
    const files = Object.fromEntries(sins.map(([, text], at) => [`instances/sin-${at}.ts`, `${text}\n`]))
    const found = await refusals(files)
    for (const [at, [rule, text]] of sins.entries()) expect(found[`instances/sin-${at}.ts`], text).toContain(rule)
  })

  it('lets the room itself, tests, and what removes a single file pass', { tags: 'core' }, async () => {
    const text = sins.slice(0, 2).map(([, each], at) => each.replaceAll('go', `go${at}`))
    const files = {
      'accounts/room.ts': `${text.join('\n')}\n`,
      'instances/some.test.ts': `${text.join('\n')}\n`,
      'instances/single.ts':
        "import { rm } from 'node:fs/promises'\nexport const go = (at: string) => rm(at, { force: true })\n",
      'instances/types.ts': "import type { readFile } from 'node:fs/promises'\nexport type Read = typeof readFile\n",
    }
    const found = await refusals(files)
    for (const path of Object.keys(files))
      expect(
        found[path]?.filter((rule) => rule.endsWith('-by-room')),
        path,
      ).toEqual([])
  })

  it('has no exception that is not needed', async () => {
    const lib = join(root, core)
    const files = globSync('**/*.ts', { cwd: lib, exclude: ['**/*.test.ts', 'testing/**', 'accounts/**'] })
    const found = await refusals(
      Object.fromEntries(files.map((path) => [path, readFileSync(join(lib, path), 'utf8')])),
      { withoutExceptions: true },
    )
    const needed = Object.entries(found)
    for (const { rules, files: patterns } of exceptions)
      for (const pattern of patterns) {
        const isNeeded = needed.some(
          ([path, refused]) => matches(pattern, path) && rules.some((rule) => refused.includes(rule)),
        )
        expect(isNeeded, pattern).toBe(true)
      }
    const isExcepted = ([path, refused]: readonly [string, readonly string[]]) =>
      refused.filter((rule) => rule.endsWith('-by-room')).every((rule) => exceptedRules(join(core, path)).has(rule))
    expect(needed.filter((each) => !isExcepted(each))).toEqual([])
  })
})
