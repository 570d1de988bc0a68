import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endProcessesOf } from '../packages/manager-core/src/lib/testing/end-processes.js'
import { takePorts, takeTestPort, type TakenPorts } from '../packages/manager-core/src/lib/testing/take-ports.js'
import { codeBlocks } from './programs/markdown.js'
import { shellIsMissing, unexpectedOutputs } from './programs/shell.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'packages/manager-cli/dist/cli.js')
const { APPS_HOME: _, ...env } = process.env

let folder: string
let home: string
let ports: TakenPorts
let port: number
/** What the first start printed. */
let welcome = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-start-'))
  home = join(folder, '.manager')
  ports = takePorts()
  port = await takeTestPort()
  mkdirSync(home)
  // Managers of other tests, which run at the same time, would choose the same ports.
  const config = `export APPS_BASEURL=http://localhost:8000\nexport APPS_PORTS=${ports.range}\n`
  writeFileSync(join(home, 'config.sh'), config, { mode: 0o600 })
})

afterAll(async () => {
  await endProcessesOf(folder)
  ports.release()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

const manager = (...args: string[]) => execute(process.execPath, [cli, ...args, '--home', home], { env })

/** Until its server answers; ended then, as by Ctrl-C. */
async function start(look: (welcome: string) => Promise<void> | void = () => {}) {
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), home, String(port)], { env })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text))
  const ended = once(child, 'exit')
  try {
    const isRunning = () => printed.stderr.includes('The manager is running at')
    await expect.poll(() => isRunning() || child.exitCode !== null).toBe(true)
    expect(printed.stderr).toContain('The manager is running at')
    await look(printed.stdout)
  } finally {
    child.kill('SIGINT')
  }
  expect(await ended).toEqual([0, null])
  return printed
}

describe.runIf(process.platform !== 'win32')('npm start', () => {
  it('makes a manager with an instance that answers as it says, and may be called again', async () => {
    const first = await start(async (text) => {
      const [, pages = '', password = ''] = /Manager +(\S+)\s+admin, with the password (\S+)/.exec(text) ?? []
      const ofPages = { Authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
      expect(new URL(pages).port).toBe(String(port))
      const page = await fetch(pages, { headers: ofPages })
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="app">')])
      expect((await fetch(pages)).status).toBe(401)
    })
    welcome = first.stdout
    expect(first.stderr).toContain('Add instance "demo"')
    const call = /curl -u '(.+)' '(http:.+)'/.exec(first.stdout)
    const [, credentials = '', address = ''] = call ?? []
    const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
    const tasks = (await (await fetch(address, { headers })).json()) as readonly object[]
    expect(tasks.length).toBeGreaterThan(0)
    const [, records = ''] = /Records +(\S+)/.exec(first.stdout) ?? []
    const ofRecords = await fetch(records, { headers: { Accept: 'text/html' } })
    expect(await ofRecords.text()).toContain('<div id="app">')
    const [, tester = ''] = /Tester page +(\S+)/.exec(first.stdout) ?? []
    expect((await fetch(tester)).status).toBe(200)

    const again = await start()
    expect(normalise(again.stdout)).toBe(normalise(first.stdout))
    expect(again.stderr).not.toContain('instance')
    await manager('stop', 'demo')
    await expect(fetch(address)).rejects.toThrow()
    expect((await start()).stderr).toContain('Start instance "demo"')
    expect((await fetch(address, { headers })).status).toBe(200)
  })

  it('prints what the README says', () => {
    const block = codeBlocks(new URL('../README.md', import.meta.url), '').find((text) => text.startsWith('Instance'))
    expect(normalise(welcome)).toContain(normalise(block ?? 'nothing'))
  })

  it('is followed by the session of the README', async ({ skip }) => {
    skip(shellIsMissing() !== undefined, shellIsMissing())
    skip(spawnSync('script', ['--version']).status !== 0, 'script cannot be run on this machine.')
    const blocks = codeBlocks(new URL('../README.md', import.meta.url), 'sh')
    const session = blocks.find((block) => block.startsWith('npx manager'))
    // On a terminal, as a pipe gets times and sizes for programs.
    const command = `stty cols 200; '${process.execPath}' '${cli}' $(printf ' %q' "$@") 2>/dev/null`
    const npx = `npx() { shift; NO_COLOR=1 script -qec "${command}" /dev/null </dev/null | tr -d '\\r'; }`
    expect(await unexpectedOutputs(`${npx}\n${session}`, { cwd: folder, normalise })).toEqual([])
  })
})

/** Without ports, times, ids, passwords, users, sizes, durations and widths of columns. */
function normalise(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/(?:today|yesterday) \d\d:\d\d +\S+/g, 'TIME WHO')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replaceAll(/\d{8}T\d{6}Z-1\.0-\w{8}/g, 'BACKUP')
    .replaceAll(/the password \w+/g, 'the password PASSWORD')
    .replaceAll(/\b[\d.]+ [kM]?B\b/g, 'SIZE')
    .replaceAll(/(?:\b\d+ min )?\b[\d.]+ m?s\b/g, 'DURATION')
    .replaceAll(/ +/g, ' ')
    .trim()
}
