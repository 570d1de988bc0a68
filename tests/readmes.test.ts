import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from './programs/app-server.js'
import { brokenLinks, codeBlocks } from './programs/markdown.js'
import { shellIsMissing, unexpectedOutputs } from './programs/shell.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const readme = (name: string) => new URL(`../packages/${name}/README.md`, import.meta.url)
const firstBlock = (name: string, language: string) => codeBlocks(readme(name), language)[0] ?? ''

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

/** What the comments behind `console.log(…)` say, in their order. */
function saidOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text)
}

describe('the example of a package README', () => {
  it.each(['rest-core', 'db-adapters', 'backup-targets'])('%s prints what its comments say', async (name) => {
    const code = firstBlock(name, 'ts')
    const { stdout } = await execute(process.execPath, [write(`${name}.ts`, code)], { cwd: folder })
    expect(saidOutput(code).length).toBeGreaterThan(0)
    expect(stdout.trimEnd().split('\n')).toEqual(saidOutput(code))
  })

  it('rest-koa answers the call below it', async ({ skip }) => {
    skip(shellIsMissing() !== undefined, shellIsMissing())
    const port = await freePort()
    const code = firstBlock('rest-koa', 'ts').replace('8080', String(port))
    const program = spawn(process.execPath, [write('rest-koa.ts', code)], { stdio: ['ignore', 'ignore', 'inherit'] })
    try {
      await answering(`http://127.0.0.1:${port}/`, program)
      const call = codeBlocks(readme('rest-koa'), 'sh').find((block) => block.includes('curl')) ?? ''
      expect(await unexpectedOutputs(call.replace('8080', String(port)))).toEqual([])
    } finally {
      program.kill()
    }
  })

  it('app-server is an application that starts', async () => {
    const application = join(folder, 'my-application')
    mkdirSync(join(application, 'objects'), { recursive: true })
    writeFileSync(join(application, 'app.yaml'), firstBlock('app-server', 'yaml'))
    writeFileSync(join(application, 'objects', 'task.ts'), firstBlock('app-server', 'ts'))
    const app = await startApp([application])
    try {
      const { status, body } = await app.call('/Task', { body: { tsk_title: 'Water the plants' } })
      expect([status, body]).toEqual([
        200,
        { row_id: '1', tsk_title: 'Water the plants', tsk_due: '', tsk_done: false },
      ])
    } finally {
      await app.stop()
    }
  })
})

it('the TypeScript of READMEs and documentation has the right types', { timeout: 60_000 }, async () => {
  const files = globSync(['packages/*/README.md', 'docs/*.md', 'README.md'], { cwd: root }).toSorted()
  const programs = files.flatMap((file) =>
    codeBlocks(pathToFileURL(join(root, file)), 'ts').filter((code) => code.startsWith('import')),
  )
  expect(programs.length).toBeGreaterThan(6)
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

it('links within the documentation lead somewhere', () => {
  const files = globSync(['*.md', 'docs/*.md', 'packages/*/README.md', 'examples/*/README.md', 'bench/README.md'], {
    cwd: root,
  })
  expect(files.flatMap((file) => brokenLinks(pathToFileURL(join(root, file))))).toEqual([])
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Waits until somebody answers there; gives up when the program has ended. */
async function answering(address: string, program: ChildProcess): Promise<void> {
  while (program.exitCode === null) {
    try {
      await fetch(address)
      return
    } catch {
      await new Promise((later) => setTimeout(later, 50))
    }
  }
  throw new Error('The program ended.')
}
