import { chmodSync, lstatSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountsOf, endAccountsOf } from '../testing/accounts-of.js'
import { bundledManager, crashAction } from '../testing/bundled-manager.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import type { CrashReport } from '../testing/crash-point.js'
import { fakeApplicationServer } from '../testing/fake-application.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { accountAt } from './account.js'

const isHere = canUseAccounts(import.meta.url)

const seed = fc.readConfigureGlobal().seed ?? 0

describe.runIf(isHere)('a command that is killed', () => {
  it.each([false, true])('isolate, with --undo %j, is finished or undone', { timeout: 240_000 }, async (undo) => {
    const test = await createTestManager({ config: ['export APPS_ISOLATION=no'] })
    chmodSync(test.folder, 0o711)
    const { program } = await bundledManager()
    const crash = (at?: number): Promise<CrashReport | undefined> => {
      const action = { home: test.home, applicationServer: fakeApplicationServer, defaultTemplate: test.template }
      const input = { name: 'demo', ...(undo && { undo }) }
      return crashAction(program, { ...action, at, action: 'isolate', input })
    }
    try {
      await test.perform('add', { name: 'demo' })
      if (undo) await test.perform('isolate', { name: 'demo' })
      // Every fourth entry of the journal, from another one on with each seed.
      for (let at = 2 + (Math.abs(seed) % 4); at < 100; at += 4) {
        const report = await crash(at)
        await test.perform('operations')
        await expectWhole(test, `seed ${seed}, killed at entry ${at}`)
        if (report) {
          expect(report.error).toBeUndefined()
          expect(at).toBeGreaterThan(12)
          return
        }
        // Once it was finished by recovery it can only be done the other way round first.
        const isDone = (accountAt(test.path('demo')) === undefined) === undo
        if (isDone) await test.perform('isolate', { name: 'demo', ...(!undo && { undo: true }) })
      }
      throw new Error('It never came to its end.')
    } finally {
      if (test.context.registry.find('demo')) await test.perform('delete', { name: 'demo', force: true, purge: true })
      await test.close()
      endAccountsOf(test)
    }
  })
})

/** It runs, and its files, its processes and this machine's accounts say the same. */
async function expectWhole(test: TestManager, label: string): Promise<void> {
  const account = accountAt(test.path('demo'))
  const uid = account?.uid ?? 0
  expect(accountsOf(test), label).toEqual(account ? [account.name] : [])
  for (const part of ['app', 'data', 'logs', 'data/database.db', 'app/app.yaml'])
    expect(lstatSync(test.path('demo', part)).uid, `${label}: ${part}`).toBe(uid)
  expect((await fetch(`http://127.0.0.1:${test.instance('demo').port}/health`)).status, label).toBe(200)
  const { pids } = await test.context.runtimes
    .named('process')
    .observe({ id: test.instance('demo').id, folder: test.path('demo') })
  for (const pid of pids) expect(lstatSync(`/proc/${pid}`).uid, label).toBe(uid)
}
