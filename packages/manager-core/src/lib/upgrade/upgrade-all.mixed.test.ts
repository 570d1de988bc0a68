/** @module-tag mixed */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate, type FakeApplication } from '../testing/fake-application.js'

let test: TestManager

beforeEach(async () => {
  test = await createTestManager({
    config: ['export APPS_HEALTHWINDOW=0', 'export APPS_WINDOW=03:00-04:00'],
    clock: () => new Date(2030, 0, 1, 12, 0),
  })
  for (const name of ['ccc', 'bbb', 'aaa', 'off']) await test.perform('add', { name, 'no-start': true })
  await test.perform('protect', { name: 'aaa' })
  await test.perform('noautoupdate', { name: 'off' })
})

afterEach(() => test.close())

async function publish(fake: FakeApplication = {}) {
  writeTemplate(test.template, { version: '1.1.0', fake })
  await test.perform('refresh')
}

const resultsOf = ({ list = [] }: { readonly list?: readonly unknown[] }) =>
  list.map((entry) =>
    Object.values(entry as object)
      .slice(0, 3)
      .join(' '),
  )

describe('upgradeall', () => {
  it('upgrades those that are upgraded automatically, the protected ones last', async () => {
    expect(resultsOf(await test.perform('upgradeall'))).toEqual([])
    await publish()
    expect(resultsOf(await test.perform('upgradeall', {}, { dryRun: true }))).toEqual([
      'bbb 1.0 would be upgraded',
      'ccc 1.0 would be upgraded',
      'aaa 1.0 would be upgraded',
    ])
    const outside = await test.perform('upgradeall')
    expect(resultsOf(outside)).toEqual(['bbb 1.0 not begun', 'ccc 1.0 not begun', 'aaa 1.0 not begun'])
    const { message, exitCode } = await test.perform('upgradeall', { now: true })
    expect([message, exitCode]).toEqual(['3 upgraded, 0 failed, 0 not started.', undefined])
    expect(resultsOf(await test.perform('upgradeall', { now: true }))).toEqual([])
    expect(test.instance('off').revision).not.toBe(test.instance('aaa').revision)
  })

  it('continues with other versions when an instance of one fails', async () => {
    writeFileSync(join(test.home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${test.folder}/other\n`)
    writeTemplate(join(test.folder, 'other'), {})
    await test.perform('refresh')
    await test.perform('add', { name: 'ddd', from: '2.0', 'no-start': true })
    writeTemplate(join(test.folder, 'other'), { version: '2.0.1' })
    await publish({ start: 'fail' })
    expect(resultsOf(await test.perform('upgradeall', { now: true }))).toEqual([
      'bbb 1.0 failed',
      'ccc 1.0 not begun',
      'ddd 2.0 upgraded',
      'aaa 1.0 not begun',
    ])
  })

  it('stops after the first failure, unless keepGoing is set', async () => {
    await publish({ start: 'fail' })
    const stopped = await test.perform('upgradeall', { now: true })
    expect(resultsOf(stopped)).toEqual(['bbb 1.0 failed', 'ccc 1.0 not begun', 'aaa 1.0 not begun'])
    expect(stopped.exitCode).toBe(1)
    const all = await test.perform('upgradeall', { now: true, 'keep-going': true })
    expect(resultsOf(all)).toEqual(['bbb 1.0 failed', 'ccc 1.0 failed', 'aaa 1.0 failed'])
  })
})

describe('setversion', () => {
  it('only goes up, and the next upgrade moves the instance', { tags: 'core' }, async () => {
    for (const version of ['0.9', '1', '2.0'])
      writeFileSync(join(test.home, `version-${version}.sh`), `APPS_TEMPLATE=folder:${test.template}\n`)
    await publish()
    const set = (version: string) => test.perform('setversion', { name: 'bbb', version })
    for (const version of ['0.9', '1', '1.0']) await expect(set(version)).rejects.toMatchObject({ code: 'ERR_STATE' })
    await expect(set('3.0')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    const before = test.instance('bbb').revision
    await set('2.0')
    expect(test.instance('bbb')).toMatchObject({ version: '2.0', revision: before })
    expect(test.instance('bbb').versionDate < (await test.context.templates.get('2.0')).date).toBe(true)
    await test.perform('upgrade', { name: 'bbb' })
    expect(test.instance('bbb').revision).not.toBe(before)
    await expect(set('1.0')).rejects.toMatchObject({ code: 'ERR_STATE' })
  })
})
