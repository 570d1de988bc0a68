import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../create-test-manager.js'
import { canUseAccounts } from '../reachable-checkout.js'
import { closeHostile } from './hostile-suite.js'
import { placeCanaries, type Canaries } from './canaries.js'
import { plant } from './run-as.js'
import { terminalAttacks } from './terminals.js'

const commandLine = fileURLToPath(new URL('../../../../../manager-cli/dist/cli.js', import.meta.url))
const isHere = canUseAccounts(import.meta.url)

describe.runIf(isHere)('a terminal that shows an instance', () => {
  let test: TestManager
  let canaries: Canaries
  beforeAll(async () => {
    test = await createTestManager({ config: ['export APPS_ISOLATION=auto', 'export APPS_HEALTHWINDOW=0'] })
    canaries = await placeCanaries(test)
    await test.perform('add', { name: 'demo', 'no-start': true })
    await plant(terminalAttacks, canaries.place('demo'))
  })
  afterAll(() => test && closeHostile(test))

  /** A shell of root in a terminal, into which these lines are typed, each when what the one before it shows is there. */
  async function typed(...lines: readonly (readonly [line: string, shows?: string])[]): Promise<string> {
    const terminal = spawn('script', ['--quiet', '--command', '/bin/sh -i', '/dev/null'], {
      env: { PATH: process.env['PATH'], SHELL: '/bin/bash', TERM: 'dumb', APPS_HOME: test.home },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let shown = ''
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
    for (const [number, [line, shows]] of lines.entries()) {
      terminal.stdin.write(`${line}\n`)
      await expect
        .poll(
          () => {
            // It is asked again, as a shell that ends takes with it what was typed. What is typed is shown, without the sum.
            if (shows === undefined) terminal.stdin.write(`echo answer-$((${number} + 1000))\n`)
            return shown
          },
          { interval: 1000 },
        )
        .toContain(shows ?? `answer-${number + 1000}`)
    }
    terminal.stdin.end('exit\n')
    await expect.poll(() => terminal.exitCode).not.toBeNull()
    return shown
  }

  const open = (action: string) => `${process.execPath} ${commandLine} ${action} demo`

  it.each([
    ['shell', [[open('shell')], ['exit']]],
    ['database', [[open('database'), 'sqlite> '], ['.quit']]],
  ] as const)('that %s has opened runs nothing as root', async (_action, lines) => {
    const terminal = await typed(['true'], ...lines)
    expect(await canaries.harms([terminal])).toEqual([])
  })
})
