import { execFile, execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
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

/** Makes the Node that runs the tests say that it is an older one. */
const pretend = `data:text/javascript,
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.1' } });
  Object.defineProperty(process, 'version', { value: 'v22.17.1' })`

const cases = [
  { title: 'a pretended 22.17', node: process.execPath, flags: ['--import', pretend] },
  ...[...new Set(oldNodes)].map((node) => ({ title: `${node}`, node: `${node}`, flags: [] })),
]

describe.each(programs)('$name on a Node that is too old', ({ name, file }) => {
  it.each(cases)('ends with one clear line ($title)', async ({ node, flags }) => {
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: '' }
      execFile(node, [...flags, file, '--help'], { env }, (error, out, err) => {
        resolve({ code: error ? error.code : 0, stdout: out, stderr: err })
      })
    })
    expect(stderr).toMatch(new RegExp(`^${name} needs Node 22\\.18 or newer; this is Node [\\d.]+\\.\n$`))
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })
})
