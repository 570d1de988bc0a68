import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leavesChild } from '../testing/leaves-child.js'
import type { LintedApplication } from './analysed-application.js'
import { lintCode } from './local/lint-code.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-eslint-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Gives the application a command `name` that runs `code`. */
function install(name: string, code: string): void {
  const own = join(folder, 'node_modules', name)
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name, type: 'module', bin: { [name]: 'cli.js' } }))
  writeFileSync(join(own, 'cli.js'), code)
}

const lint = () => {
  const application = { folder, data: folder, account: undefined } as unknown as LintedApplication
  return lintCode({ application, timeoutMs: 60_000, signal: undefined }, ['app.yaml', 'objects/a.ts'])
}

const report = [
  {
    filePath: '/objects/a.ts',
    messages: [
      { ruleId: 'no-undef', severity: 2, message: "'b' is not defined.", line: 3, column: 5 },
      { ruleId: 'eqeqeq', severity: 1, message: "Expected '==='.", line: 4, column: 9 },
      { ruleId: null, severity: 2, message: 'Parsing error: Unexpected token' },
    ],
  },
]

it('reads the report of the ESLint of the application, which goes before a linter of the manager', async () => {
  install(
    'eslint',
    `const report = ${JSON.stringify(report)}
    for (const file of report) file.filePath = process.cwd() + file.filePath
    if (process.argv.slice(2).join(' ') !== '--format json objects/a.ts') process.exit(2)
    console.log(JSON.stringify(report))
    process.exitCode = 1`,
  )
  expect(await lint()).toEqual({
    issues: [
      {
        rule: 'no-undef',
        severity: 'error',
        message: "'b' is not defined.",
        file: 'objects/a.ts',
        line: 3,
        column: 5,
      },
      { rule: 'eqeqeq', severity: 'warning', message: "Expected '==='.", file: 'objects/a.ts', line: 4, column: 9 },
      { rule: 'eslint', severity: 'error', message: 'Parsing error: Unexpected token', file: 'objects/a.ts' },
    ],
    notes: [],
  })
})

it('notes why ESLint gave no report', async () => {
  install('eslint', `console.error('No configuration file'); process.exitCode = 2`)
  expect(await lint()).toEqual({
    issues: [],
    notes: ['Code is not linted: eslint failed: No configuration file'],
  })
})

it('does not wait for a child that a linter of the application leaves', async () => {
  const { script, lives } = leavesChild()
  install(
    'eslint',
    `import { spawnSync } from 'node:child_process'
    spawnSync('/bin/sh', ['-c', ${JSON.stringify(script)}], { stdio: 'inherit' })
    console.log('[]')`,
  )
  expect(await lint()).toEqual({ issues: [], notes: [] })
  expect(lives()).toBe(true)
})
