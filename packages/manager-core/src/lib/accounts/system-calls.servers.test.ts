import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toolIsMissing } from '../../../../../tests/servers/index.js'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer } from '../testing/fake-application.js'
import type { PerformedActions } from '../testing/perform-actions.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { misled, traceRoot } from '../testing/system-calls.js'
import { accountAt, asAccount } from './account.js'

const isHere = canUseAccounts(import.meta.url)
const missing = isHere ? (toolIsMissing('strace') ?? whyNotTraced()) : 'not here'

/** Containers may forbid it. */
function whyNotTraced(): string | undefined {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return `processes cannot be traced here: ${(error as Error).message}`
  }
}

const environment = { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: '/root' }

/** A folder of root's that no call may reach. */
function plantCanary(folder: string): string {
  const canary = join(folder, 'canary')
  mkdirSync(join(canary, 'sub', 'deep'), { recursive: true, mode: 0o700 })
  for (const path of ['file', 'sub/file', 'sub/deep/file', 'app.yaml', 'package.json', 'application.log'])
    writeFileSync(join(canary, path), 'canary', { mode: 0o600 })
  return canary
}

const stateOf = (canary: string) =>
  ['', ...(readdirSync(canary, { recursive: true }) as string[])].toSorted().map((path) => {
    const { mode, uid, gid, ino, size } = lstatSync(join(canary, path))
    return [path, mode, uid, gid, ino, size].join(' ')
  })

describe.runIf(isHere)('system calls of root', () => {
  it('a call that a link of an account leads elsewhere is found', ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const folder = mkdtempSync(join(tmpdir(), 'steward-calls-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [data, canary] = [join(folder, 'data'), plantCanary(folder)]
    mkdirSync(join(data, 'own', 'deep'), { recursive: true })
    writeFileSync(join(data, 'own', 'file'), '')
    symlinkSync(join(canary, 'sub'), join(data, 'link'))
    symlinkSync(join(canary, 'file'), join(data, 'last'))
    const sins = {
      'a link at the end': 'readFileSync(at("last"))',
      'a link on the way': 'readFileSync(at("link/file"))',
      'a path that could have one': 'readFileSync(at("own/file"))',
      'one that is not there': 'try { openSync(at("own/none"), constants.O_RDONLY | constants.O_NOFOLLOW) } catch {}',
      'removal by path': 'rmSync(at("own/deep"), { recursive: true })',
      'a mode': 'chmodSync(at("own"), 0o700)',
      'an owner': 'chownSync(at("last"), 0, 0)',
      'a new name': 'renameSync(at("own/file"), at("own/other"))',
      'a folder that is open, and two names': 'readFileSync(`/proc/self/fd/${openSync(at(""))}/own/other`)',
    }
    for (const [what, sin] of Object.entries(sins)) {
      const script = `const { chmodSync, chownSync, constants, openSync, readFileSync, renameSync, rmSync } = require('fs'); const at = (path) => ${JSON.stringify(data)} + '/' + path; ${sin}`
      const { calls } = traceRoot([process.execPath, '-e', script], environment)
      expect(misled(calls, new RegExp(`^${data}(?=/|$)`), canary), what).not.toEqual([])
    }
    const good = `const { closeSync, constants, lstatSync, openSync, readdirSync, unlinkSync } = require('fs'); const at = (path) => ${JSON.stringify(data)} + '/' + path;
      const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants
      const folder = openSync(at('own'), O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
      readdirSync('/proc/self/fd/' + folder)
      openSync('/proc/self/fd/' + folder + '/other', O_RDONLY | O_NOFOLLOW)
      unlinkSync('/proc/self/fd/' + folder + '/other')
      lstatSync(at('last'))`
    const { calls } = traceRoot([process.execPath, '-e', good], environment)
    expect(misled(calls, new RegExp(`^${data}(?=/|$)`), canary)).toEqual([])
    return undefined
  })

  it('are led nowhere by links of an instance, whatever is done with it', { timeout: 240_000 }, async ({ skip }) => {
    if (missing !== undefined) return skip(missing)
    const test = await createTestManager({ config: ['export APPS_ISOLATION=yes', 'export APPS_HEALTHWINDOW=1'] })
    try {
      chmodSync(test.folder, 0o711)
      const canary = plantCanary(test.home)
      await test.perform('add', { name: 'demo' })
      await test.perform('save', { name: 'demo' })
      const before = stateOf(canary)
      const [program, args] = asAccount(accountAt(test.path('demo')), '/bin/sh')
      const script = `cd "$0" && mkdir -p data/nested/deep app/nested && for at in app data logs app/nested data/nested/deep
        do ln -s "$1" $at/link; ln -s "$1/file" $at/file-link; ln -s "$1/sub" $at/sub-link; done
        ln -s "$1" data/documents; ln -s "$1" app/node_modules; ln -s "$1" app/tests; ln -s "$1" app/patches; ln -s "$1" app/WEB-INF
        ln -s "$1/application.log" logs/application.log.1; ln -s "$1/file" app/.application-server; ln -s "$1/file" app/package.json`
      execFileSync(program, [...args, '-c', script, test.path('demo'), canary], { cwd: '/' })
      const name = 'demo'
      const actions: PerformedActions['actions'] = [
        ['list', {}],
        ['get', { name }],
        ['logs', { name, lines: 5 }],
        ['accesslogs', { name }],
        ['documents', { name }],
        ['doctor', {}],
        ['download', { name, type: 'logs' }],
        ['download', { name, type: 'data' }],
        ['download', { name, type: 'webapp' }],
        ['save', { name }],
        ['stop', { name }],
        ['start', { name }],
        ['restore', { name }],
        ['delete', { name, force: true, purge: true }],
      ]
      const call: PerformedActions = {
        home: test.home,
        applicationServer: fakeApplicationServer,
        template: test.template,
        actions,
      }
      const loader = ['--import', new URL('../testing/typescript.mjs', import.meta.url).href]
      const file = fileURLToPath(new URL('../testing/perform-actions.ts', import.meta.url))
      const folder = test.path('demo')
      const { output, calls } = traceRoot([process.execPath, ...loader, file, JSON.stringify(call)], environment)
      const outcomes = (JSON.parse(output) as string[]).map((outcome, at) => `${actions[at]?.[0]}: ${outcome}`)
      expect(outcomes.filter((outcome) => !outcome.endsWith(': done'))).toEqual([
        // Links that lead out are neither downloaded nor saved.
        expect.stringMatching(/^download: .*a link that leads out/),
        expect.stringMatching(/^download: .*a link that leads out/),
        expect.stringMatching(/^save: .*a link that leads out/),
      ])
      // Also where they are unpacked and moved to.
      const folders =
        /^\/.*\/home\/(?:instances\/[^/.]+|instances\/\.[^/]+(?:\/old)?|trash\/[^/]+)\/(?:app|data|logs)(?=\/|$)/
      expect(misled(calls, folders, canary)).toEqual([])
      // What was done is really in it.
      const opened = calls.filter((one) => /^openat?\(/.test(one))
      for (const path of [join(folder, 'logs'), join(folder, 'logs', 'application.log'), join(folder, 'account')])
        expect(
          opened.some((one) => one.includes(`"${path}"`) || one.includes(`<${path}>`)),
          path,
        ).toBe(true)
      expect(stateOf(canary)).toEqual(before)
      expect(readFileSync(join(canary, 'file'), 'utf8')).toBe('canary')
    } finally {
      await closeWithAccounts(test)
    }
    return undefined
  })
})
