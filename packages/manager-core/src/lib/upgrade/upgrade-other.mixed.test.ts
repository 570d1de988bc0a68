/** @module-tag mixed */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate } from '../testing/fake-application.js'

let test: TestManager
afterEach(() => test?.close())

const nameIn = (name: string) => /name: (.*)/.exec(readFileSync(test.path(name, 'app', 'app.yaml'), 'utf8'))?.[1]

/** Another application becomes the template, with a later date. */
async function otherTemplate(name = 'starter', version = '9.0.0') {
  writeFileSync(join(test.template, 'app.yaml'), `name: ${name}\ntitle: Other\nversion: ${version}\n`)
  await test.perform('refresh')
}

it(
  'an upgrade replaces no application by another, and no version by an older, unless that is asked for',
  { tags: 'core' },
  async () => {
    test = await createTestManager({ config: ['export APPS_HEALTHWINDOW=0'] })
    await test.perform('add', { name: 'bank', 'no-start': true })
    await otherTemplate()
    for (const input of [{}, { force: true }])
      await expect(test.perform('upgrade', { name: 'bank', ...input })).rejects.toMatchObject({
        code: 'ERR_STATE',
        message: 'Instance "bank" was not upgraded: it runs the application "fake", but the template is "starter".',
        help: expect.stringContaining(`version-1.0.sh (now folder:${test.template})`) as string,
      })
    const { list, exitCode } = await test.perform('upgradeall')
    expect(list).toMatchObject([{ name: 'bank', result: 'failed' }])
    expect(exitCode).toBe(1)
    expect(nameIn('bank')).toBe('fake')
    await otherTemplate('fake', '0.9.0')
    await expect(test.perform('upgrade', { name: 'bank' })).rejects.toMatchObject({
      message: 'Instance "bank" was not upgraded: it runs "fake" 1.0.0, but the template is the older 0.9.0.',
    })
    await otherTemplate()
    await test.perform('upgrade', { name: 'bank', replace: true })
    expect(nameIn('bank')).toBe('starter')
  },
)

it('an older template of the version is not taken for a newer one because its revision is another', async () => {
  test = await createTestManager()
  await test.perform('add', { name: 'bank', 'no-start': true })
  const { id, revision } = test.instance('bank')
  const versionDate = '2099-01-01T00:00:00.000Z'
  test.context.registry.transaction((writer) => writer.updateInstance(id, { versionDate, revision: 'of another home' }))
  expect((await test.perform('upgrade', { name: 'bank' })).message).toContain('already has the latest 1.0')
  expect((await test.perform('upgradeall')).list).toEqual([])
  expect(test.instance('bank').revision).not.toBe(revision)
})

it('restored where its version is another application, it is kept from upgradeall, and the right template is asked for', async () => {
  test = await createTestManager()
  await test.perform('add', { name: 'bank', 'no-start': true })
  await test.perform('save', { name: 'bank' })
  const [backup] = await test.context.backups.list({ name: 'bank' })
  expect(backup?.manifest.template).toBe(`folder:${test.template}`)
  await test.perform('delete', { name: 'bank', purge: true })
  writeTemplate(test.template, { version: '1.1.0' })
  await test.perform('refresh')
  // A newer one of the same application is welcome.
  expect((await test.perform('restore', { name: 'bank' })).warnings ?? []).toEqual([])
  expect(test.instance('bank').autoUpdate).toBe(true)
  await test.perform('delete', { name: 'bank', purge: true })
  await otherTemplate()
  const { warnings } = await test.perform('restore', { name: 'bank' })
  expect(warnings).toEqual([
    '"bank" is no longer included in nightly upgrades: it runs the application "fake", but the template is ' +
      `"starter". Set the right template in version-1.0.sh (at the time of the backup: folder:${test.template}), then run ` +
      'refresh and autoupdate bank.',
  ])
  expect(test.instance('bank').autoUpdate).toBe(false)
  expect((await test.perform('upgradeall')).list).toEqual([])
  expect(nameIn('bank')).toBe('fake')
})
