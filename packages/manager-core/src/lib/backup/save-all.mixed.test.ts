/** @module-tag mixed */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeHook } from '../testing/write-hook.js'

describe('saveall', () => {
  let test: TestManager
  beforeEach(async () => {
    test = await createTestManager({ config: ['export APPS_SAVEALL_DIR=$APPS_HOME/nightly'] })
    for (const name of ['aaa', 'bbb', 'ccc', 'ddd']) {
      await test.perform('add', { name, 'no-start': true })
      if (name !== 'ccc') await test.perform('autosave', { name })
    }
  })
  afterEach(() => test.close())

  const nightly = () => readdirSync(join(test.home, 'nightly')).toSorted()
  const results = ({ list = [] }: { readonly list?: readonly unknown[] }) =>
    (list as { name: string; result: string }[]).map(({ name, result }) => `${name} ${result}`)

  it('saves those that are flagged, into a folder of their own', async () => {
    const done = await test.perform('saveall')
    expect(results(done)).toEqual(['aaa saved', 'bbb saved', 'ddd saved'])
    expect(done.exitCode).toBeUndefined()
    expect(nightly()).toEqual(['aaa', 'bbb', 'ddd'])
    expect((await test.perform('backups list')).list).toHaveLength(3)
  })

  it('saves all others when one fails, and then reports it', { tags: 'core' }, async () => {
    writeHook(test.home, 'pre-save', '[ "$1" != bbb ]')
    const mail = ['APPS_MAILSERVER=127.0.0.1', 'APPS_MAILPORT=1', 'APPS_EMAIL=operator@example.com']
    writeFileSync(join(test.home, 'config.sh'), mail.map((line) => `export ${line}\n`).join(''), { flag: 'a' })
    const done = await test.another().perform('saveall', { parallel: 1 }, test.caller)
    expect(results(done)).toEqual(['aaa saved', 'bbb failed', 'ddd saved'])
    expect(done.message).toBe('2 backed up, 1 failed, 0 not started.')
    expect(done.exitCode).toBe(1)
    expect(done.warnings).toEqual([expect.stringContaining('could not be mailed')])
    // Schedules of older versions name it.
    expect(results(await test.perform('saveall', { 'keep-going': true }))).toHaveLength(3)
    expect(nightly()).toEqual(['aaa', 'ddd'])
  })

  it('starts nothing outside of the window', { tags: 'core' }, async () => {
    const soon = new Date(Date.now() + 2 * 60 * 60 * 1000)
    const hours = (date: Date) => `${String(date.getHours()).padStart(2, '0')}:00`
    const to = hours(new Date(soon.getTime() + 60 * 60 * 1000))
    writeFileSync(join(test.home, 'config.sh'), `export APPS_WINDOW=${hours(soon)}-${to}\n`, { flag: 'a' })
    expect(results({ list: (await test.another().perform('saveall', {}, test.caller)).list ?? [] })).toEqual([
      'aaa not begun',
      'bbb not begun',
      'ddd not begun',
    ])
  })

  it('removes what has expired, and keeps stamps in order when the clock is set back', async () => {
    rmSync(join(test.home, 'nightly'), { recursive: true, force: true })
    writeFileSync(join(test.home, 'config.sh'), 'export APPS_SAVE_DIR_DEPTH=2\n', { flag: 'a' })
    const at = async (date: string) => {
      const manager = test.another({ clock: () => new Date(date) })
      await manager.perform('save', { name: 'aaa' }, test.caller)
      return (await manager.context.backups.list({ name: 'aaa' })).map(({ key }) => key.slice(4, 19))
    }
    expect(await at('2026-11-01T00:00:00Z')).toEqual(['20261101T000000'])
    expect(await at('2026-11-02T12:00:00Z')).toEqual(['20261102T120000', '20261101T000000'])
    expect(await at('2026-11-04T06:00:00Z')).toEqual(['20261104T060000', '20261102T120000'])
    expect(await at('2025-01-01T00:00:00Z')).toEqual(['20261104T060001', '20261104T060000', '20261102T120000'])
  })
})
