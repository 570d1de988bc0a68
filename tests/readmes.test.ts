import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import {
  createBusinessObjects,
  createMemoryStore,
  createModel,
  systemPrincipal,
  type ObjectDefinition,
} from '@steward/rest-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { brokenLinks, codeBlocks } from './programs/markdown.js'
import { testReadmeExamples } from './programs/readme-examples.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-readmes-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a program into the folder, where it finds the packages of this repository as if they were installed. */
function write(name: string, code: string): string {
  const file = join(folder, name)
  writeFileSync(file, code)
  return file
}

testReadmeExamples(() => folder)

it('the TypeScript of READMEs and documentation has the right types', async () => {
  const files = globSync(['packages/*/README.md', 'docs/*.md', 'README.md'], { cwd: root }).toSorted()
  const programs = files.flatMap((file) => codeBlocks(pathToFileURL(join(root, file)), 'ts').map(asProgram))
  expect(programs.length).toBeGreaterThan(30)
  const names = programs.map((code, at) => write(`typed-${at}.ts`, code))
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: { types: ['node'], preserveSymlinks: false },
    files: names,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await execute(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

/** Parts of a definition, and calls of a service, as a program. */
function asProgram(code: string): string {
  if (/^(?:import|export)\b/m.test(code)) return code
  if (code.startsWith('await ')) {
    return `import type { BusinessObjects, Principal } from '@steward/rest-core'
declare const service: BusinessObjects, principal: Principal
${code}`
  }
  return `import type { FieldDefinition, ObjectDefinition } from '@steward/rest-core'
type Part = Partial<ObjectDefinition> | Record<string, FieldDefinition>
export const part = {
${code}
} satisfies Part`
}

it('the actions of docs/actions.md do what they say', async () => {
  const [code = ''] = codeBlocks(new URL('../docs/actions.md', import.meta.url), 'ts').filter((block) =>
    block.includes('transfer'),
  )
  const { Account } = (await import(pathToFileURL(write('account.ts', code)).href)) as { Account: ObjectDefinition }
  const model = createModel([Account])
  const service = createBusinessObjects({ model, store: createMemoryStore() })
  const me = systemPrincipal()
  const make = (acc_number: string) => service.create(me, 'Account', { acc_number, acc_balance: 10 })
  const [from, to] = [await make('a'), await make('b')]
  const transfer = (amount: number) =>
    service.action(me, 'Account', 'transfer', { rowId: from.row_id, parameters: { to: to.row_id, amount } })
  await transfer(4)
  await expect(transfer(7)).rejects.toThrow('The balance is too low.')
  expect([await service.get(me, 'Account', from.row_id), await service.get(me, 'Account', to.row_id)]).toMatchObject([
    { acc_balance: 6 },
    { acc_balance: 14 },
  ])
})

it('no document shows a principal with all rights as the caller of a request', () => {
  const files = globSync(['*.md', '{docs,packages,examples}/**/*.md', '{examples,templates}/**/*.{ts,js}'], {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist'].includes(name),
  })
  const shown = files.filter((file) =>
    /\b(?:authenticate|principalOf\w*|verifyPassword)\b[^\n]{0,80}(?:systemPrincipal|allRights)/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(shown).toEqual([])
})

it('links within all Markdown of the repository lead somewhere', () => {
  const files = globSync(['*.md', '{docs,packages,examples,templates,tests,bench,website,scripts,tools}/**/*.md'], {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist', 'reference', 'data', '.site', 'CHANGELOG.md'].includes(name),
  })
  expect(files.length).toBeGreaterThan(120)
  expect(files.flatMap((file) => brokenLinks(pathToFileURL(join(root, file))))).toEqual([])
})

it('docs/README.md leads to every document', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const documents = globSync('docs/*.md', { cwd: root }).map((file) => basename(file))
  expect(documents.filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([])
})
