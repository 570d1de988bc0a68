/** @module-tag mixed */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
let home: string

beforeAll(() => {
  home = join(mkdtempSync(join(tmpdir(), 'steward-cli-process-')), 'home')
  manager('init', '--quiet')
  // It lasts as long as the command.
  const hook = join(home, 'hooks', 'pre-add.sh')
  writeFileSync(hook, '#!/bin/sh\nwhile kill -0 $PPID 2>/dev/null; do sleep 0.05; done\n')
  chmodSync(hook, 0o755)
})

afterAll(() => rmSync(join(home, '..'), { recursive: true, force: true }))

function manager(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--home', home], { encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

/** Adds an instance, and sends a signal while the hook before it runs. */
async function interruptedAdd(signal: NodeJS.Signals) {
  const child = spawn(process.execPath, [cli, 'add', 'demo', '--home', home], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => {
    const before = err
    err += chunk.toString()
    if (err.includes('Run the hook pre-add') && !before.includes('Run the hook pre-add')) child.kill(signal)
  })
  const [code] = (await closed) as [number | null]
  return { code, err }
}

test('Ctrl-C undoes what was started', { tags: 'core' }, async () => {
  const { code, err } = await interruptedAdd('SIGINT')
  expect(err).toContain('Cancelling; press Ctrl-C again to stop immediately …')
  expect(err).toContain('Undoing: Reserve the name "demo" and a port …')
  expect(err).toContain('All changes were rolled back.')
  expect(code).toBe(130)
  const { err: problems, out } = manager('list', '--json')
  expect(problems).toBe('')
  expect(JSON.parse(out)).toMatchObject({ status: 0, list: [] })
})

test('what a killed command left is reported when the next one repairs it', { tags: 'core' }, async () => {
  expect((await interruptedAdd('SIGKILL')).code).toBe(null)
  const { code, out, err } = manager('list', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ status: 0, list: [] })
  expect(err).toMatch(/^Repairing an interrupted operation: Add instance "demo".* …\n/)
  expect(manager('list')).toEqual({ code: 0, out: '', err: 'No instances match.\n' })
})

test.each([
  ['config --all', /^NAME.*\n0\n$/],
  ['--help', /^Usage: .*\n0\n$/],
])('a reader of "%s" that goes away is not a failure', (command, output) => {
  const script = `"$1" "$2" ${command} --home "$3" | head -n 1; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', process.execPath, cli, home], {
    encoding: 'utf8',
  })
  expect(stdout).toMatch(output)
  expect(stderr).not.toContain('EPIPE')
})

test('a server that is ended leaves what it has started', { tags: 'core' }, async () => {
  const { out: made } = manager('token', 'add', 'test', '--abilities', 'admin', '--json')
  const { token } = (JSON.parse(made) as { item: { token: string } }).item
  const server = spawn(process.execPath, [cli, 'serve', '--listen', '127.0.0.1:0', '--home', home], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const closed = once(server, 'close')
  const [line] = (await once(server.stderr, 'data')) as [Buffer]
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line.toString()) ?? []
  const ask = async (query: string) => {
    const response = await fetch(`${url}/api?action=${query}`, { headers: { Authorization: `Bearer ${token}` } })
    return (await response.json()) as { operation: string; item: { state: string; steps: object[] } }
  }
  const begun = await ask('add&name=demo&async=true')
  expect(begun).toMatchObject({ status: 0 })
  const { operation: id } = begun
  await expect.poll(async () => (await ask(`operation&id=${id}`)).item.steps.length).toBeGreaterThan(0)
  server.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
  expect(manager('operation', id).out).toContain('running')
  const at = (file: string) => join(home, 'runs', id, file)
  const { pid } = JSON.parse(readFileSync(at('worker.json'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGTERM')
  await expect.poll(() => existsSync(at('result.json'))).toBe(true)
  expect(manager('operation', id).out).toContain('rolled_back')
})
