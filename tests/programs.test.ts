import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const programs = globSync('packages/*/package.json', { cwd: root }).flatMap((file) => {
  const { bin = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { bin?: Record<string, string> }
  return Object.entries(bin).map(([name, target]) => ({ name, file: join(root, dirname(file), target) }))
})

/** Nodes of this machine that are too old for the programs: npm's own, or the system's. */
const oldNodes = [process.env.npm_node_execpath, '/usr/bin/node', '/usr/local/bin/node'].filter((file) => {
  try {
    const [, major = 0] = /^v(\d+)/.exec(execFileSync(file ?? '', ['--version'], { encoding: 'utf8' })) ?? []
    return Number(major) < 22
  } catch {
    return false
  }
})

/** Makes the Node that runs the tests say that it is another one. */
const pretend = (version: string) => `data:text/javascript,
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
  Object.defineProperty(process, 'version', { value: 'v${version}' })`

const cases = [
  { title: 'a pretended 22.17', node: process.execPath, flags: ['--import', pretend('22.17.1')] },
  ...[...new Set(oldNodes)].map((node) => ({ title: `${node}`, node: `${node}`, flags: [] })),
]

interface Run {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

function runHelp(node: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Run> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...more }
    execFile(node, [...args, '--help'], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr })
    })
  })
}

it('there are programs', () => {
  expect(programs.map(({ name }) => name).toSorted()).toEqual(['app-server', 'manager', 'rest-client'])
})

describe.each(programs)('$name on a Node that is too old', ({ name, file }) => {
  it.each(cases)('ends with one clear line ($title)', async ({ node, flags }) => {
    const { code, stdout, stderr } = await runHelp(node, [...flags, file])
    expect(stderr).toMatch(new RegExp(`^${name} needs Node 22\\.18 or newer; this is Node [\\d.]+\\.\n$`))
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  it.each(['22.18.0', '24.0.0', '23.0.1'])('runs on one that calls itself %s', async (version) => {
    const { code, stdout, stderr } = await runHelp(process.execPath, ['--import', pretend(version), file])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(name)
  })
})

it.each(programs)('a reader of the help of $name that goes away is not a failure', async ({ file }) => {
  const child = spawn(process.execPath, [file, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  // Before it could write anything.
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})

describe.each(programs)('compiled code of $name', ({ file }) => {
  const within = async (work: (folder: string, runs: () => Promise<Run>) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
    const env = { TMPDIR: folder, NODE_COMPILE_CACHE: undefined }
    try {
      await work(join(folder, `steward-code-${process.getuid?.()}`), () => runHelp(process.execPath, [file], env))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it('is kept in a folder of the user', () =>
    within(async (folder, runs) => {
      expect(await runs()).toMatchObject({ code: 0, stderr: '' })
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(globSync('*/*', { cwd: folder })).not.toEqual([])
    }))

  it('is not taken from a folder that others may write', () =>
    within(async (folder, runs) => {
      mkdirSync(folder)
      chmodSync(folder, 0o777)
      expect(await runs()).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(folder)).toEqual([])
    }))
})
