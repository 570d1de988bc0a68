import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeWithAccounts } from '../testing/accounts-of.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { realApplication } from '../testing/real-manager.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { refOf } from '../runtime/instance-ref.js'
import { accountAt, type SystemAccount } from './account.js'

describe.runIf(canUseAccounts(import.meta.url))('files of an instance that root took from its account', () => {
  let test: TestManager
  beforeAll(async () => {
    test = await createTestManager({ ...realApplication, refresh: false, config: ['export APPS_ISOLATION=yes'] })
    // Accounts may pass.
    chmodSync(test.folder, 0o711)
    await test.perform('refresh')
    await test.perform('add', { name: 'one' })
  })
  afterAll(() => closeWithAccounts(test))

  const doctor = async (more: object = {}) =>
    JSON.stringify((await test.perform('doctor', { category: 'instances', ...more })).list)
  const take = (...folders: readonly ('app' | 'data')[]) =>
    execFileSync('chown', ['-R', '0:0', ...folders.map((name) => test.path('one', name))])

  it('do not matter where the instance can use them all the same', async () => {
    await test.perform('stop', { name: 'one' })
    writeFileSync(test.path('one', 'data', 'of-root'), '')
    chownSync(test.path('one', 'app'), 0, 0)
    chmodSync(test.path('one', 'app'), 0o755)
    await test.perform('start', { name: 'one' })
    expect(await doctor()).not.toContain('must belong to')
    chmodSync(test.path('one', 'app'), 0o700)
    await test.perform('stop', { name: 'one' })
    await doctor({ fix: true })
  })

  it('are not run by root when the file that names the account is gone, and doctor writes it again', async () => {
    await test.perform('stop', { name: 'one' })
    const account = accountAt(test.path('one'))
    rmSync(test.path('one', 'account'))
    await expect(test.perform('start', { name: 'one' })).rejects.toMatchObject({
      message: expect.stringContaining(`would not run as ${account?.name ?? '?'}`),
      command: 'doctor instances --fix',
    })
    expect(await doctor()).toContain('"check":"instance-account","category":"instances","level":"error"')
    await doctor({ fix: true })
    expect(accountAt(test.path('one'))).toEqual(account)
    await test.perform('start', { name: 'one' })
  })

  it('keep it from being started, which says whose they are', async () => {
    await test.perform('stop', { name: 'one' })
    for (const folder of ['app', 'data'] as const) {
      take(folder)
      await expect(test.perform('start', { name: 'one' })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: expect.stringMatching(/\/(app|data) belongs to user 0, but must belong to steward-/),
        command: 'doctor instances --fix',
      })
      if (folder === 'app') {
        // Its server alone says the same.
        const { uid, gid } = accountAt(test.path('one')) as SystemAccount
        const command = [realApplication.applicationServer, test.path('one', 'app')]
        const { stderr } = spawnSync(process.execPath, command, { uid, gid, encoding: 'utf8', cwd: '/' })
        expect(stderr).toContain('app.yaml cannot be read by this user')
      }
      await doctor({ fix: true })
    }
  })

  it('are not taken for lost by an instance that runs: it is not given up in words of loss', async () => {
    await test.perform('start', { name: 'one' })
    take('data')
    const [pid] = (await test.context.runtimes.observe(refOf(test.context, test.instance('one')))).pids.slice(1)
    process.kill(pid as number, 'SIGKILL')
    await expect.poll(() => test.log('one')).toContain('cannot be reached by the account of the instance')
    expect(test.log('one')).not.toContain('is gone')
    await test.perform('stop', { name: 'one' })
    await doctor({ fix: true })
  })

  it('are given back by doctor --fix, when the instance is stopped', async () => {
    const account = accountAt(test.path('one'))
    take('app', 'data')
    const found = await doctor()
    expect(found).toContain(`belongs to user 0, but must belong to ${account?.name}`)
    expect(found).not.toMatch(/restore one|--empty/)
    await doctor({ fix: true })
    expect(statSync(test.path('one', 'data')).uid).toBe(account?.uid)
    expect(statSync(test.path('one', 'app', 'app.yaml')).uid).toBe(account?.uid)
    await test.perform('start', { name: 'one' })
    expect(await doctor()).not.toContain('must belong to')
  })
})
