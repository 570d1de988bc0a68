import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { actions } from '@steward/manager-core'
import { createTestHome } from '@steward/manager-core/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { candidatesFor } from './complete.js'
import { completionScript, shells } from './scripts.js'

const facts = {
  actions,
  instances: () => ['demo', 'demo2', 'shop'],
  versions: () => ['1.0', '2.0'],
  runtimes: () => ['process', 'systemd'],
}

/** Values for a line up to the cursor. */
function complete(line: string): readonly string[] | 'files' {
  const found = candidatesFor(line.split(' '), facts)
  return found === 'files' ? found : found.map(({ value }) => value)
}

describe('what can stand where the cursor is', () => {
  test.each([
    ['upg', ['upgrade', 'upgradeall']],
    ['comp', ['completion']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['help ren', ['rename']],
    ['start ', ['demo', 'demo2', 'shop']],
    ['rm d', ['demo', 'demo2']],
    ['start demo ', []],
    ['--json start s', ['shop']],
    ['--home /srv start s', ['shop']],
    ['--home ', 'files'],
    ['setstatus demo ', ['started', 'stopped']],
    ['setversion demo ', ['1.0', '2.0']],
    ['list --status st', ['started', 'stopped', 'starting']],
    ['list -d my', ['mysql']],
    ['list --ord', ['--order']],
    ['list --order name --ord', []],
    ['list --dr', []],
    ['start --dr', ['--dry-run']],
    ['start --wait s', ['shop']],
    ['database demo ', 'files'],
    ['back', ['backups']],
    ['backups v', ['verify']],
    ['backups --json v', ['verify']],
    ['help backups v', ['verify']],
    ['help backups verify ', []],
    ['backups verify demo --dr', []],
    ['restore demo --fr', ['--from']],
    ['frob ', []],
  ])('%j', (line, expected) => {
    expect(complete(line)).toEqual(expected)
  })
})

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

describe('the script of', () => {
  test.for(shells)('%s is one that the shell can read', (shell, { skip }) => {
    skip(!isThere(shell), `${shell} is not installed.`)
    expect(spawnSync(shell, ['-n'], { input: completionScript(shell), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  const home = createTestHome()
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('bash completes, and runs nothing of what is being typed', ({ skip }) => {
    skip(!isThere('bash'), 'bash is not installed.')
    const env = { PATH: process.env.PATH, APPS_HOME: home, HOME: home }
    const replies = (words: readonly string[]) => {
      const script = `eval "$("$1" completion bash)"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _manager_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
      const args = ['--norc', '-uc', script, 'bash', cli, ...words]
      return execFileSync('bash', args, { env, encoding: 'utf8' }).trim().split('\n')
    }
    expect(replies(['autos'])).toEqual(['autosave'])
    expect(replies(['list', '--status', 'sus'])).toEqual(['suspended'])
    expect(replies(['list', '$(touch typed)', '`touch typed`', '--ver'])).toEqual(['--version', '--verbose'])
    expect(existsSync('typed')).toBe(false)
    expect(replies(['start', ''])).toEqual([''])
  })
})
