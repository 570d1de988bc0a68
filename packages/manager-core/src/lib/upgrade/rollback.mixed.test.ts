/** @module-tag mixed */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate, type FakeApplication } from '../testing/fake-application.js'

let test: TestManager
let now: Date

beforeEach(async () => {
  now = new Date(2030, 0, 1, 12, 0)
  test = await createTestManager({
    config: ['export APPS_HEALTHWINDOW=0'],
    clock: () => now,
  })
  await test.perform('add', { name: 'demo' })
})

afterEach(() => test.close())

async function publish(version: string, fake: FakeApplication = {}) {
  writeTemplate(test.template, { version, fake })
  await test.perform('refresh')
}

async function upgrade(version: string, fake: FakeApplication = {}) {
  await publish(version, fake)
  await test.perform('upgrade', { name: 'demo' })
}

function sql(text: string) {
  const database = new DatabaseSync(test.path('demo', 'data', 'database.db'))
  try {
    return database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

const write = (name: string, text: string) => writeFileSync(test.path('demo', 'data', name), text)
const read = (name: string) => readFileSync(test.path('demo', 'data', name), 'utf8')
const texts = () => sql('select text from note order by id').map((row) => row['text'])
const appVersion = () => /version: (.*)/.exec(readFileSync(test.path('demo', 'app', 'app.yaml'), 'utf8'))?.[1]
const healthy = async () => (await fetch(`http://127.0.0.1:${test.instance('demo').port}/health`)).status
const points = () => readdirSync(test.path('demo')).filter((name) => name.startsWith('restore-'))
const shown = async () => (await test.perform('get', { name: 'demo' })).item as Record<string, unknown>
const later = (days: number) => (now = new Date(now.getTime() + days * 86_400_000))

describe('rollback', () => {
  it(
    'brings application, version, revision, settings, files and data back, and can be undone',
    { tags: 'core' },
    async () => {
      const settings = () => test.context.settings.instance(test.path('demo'))
      const change = async (maxMemoryMb: number) =>
        test.context.settings.writeInstance(test.path('demo'), { ...(await settings()), maxMemoryMb })
      write('file.txt', 'old')
      await change(100)
      const before = test.instance('demo')
      await upgrade('1.1.0', { migrate: 'create table if not exists extra (id integer)' })
      const after = test.instance('demo')
      sql(`insert into note (text) values ('new')`)
      write('file.txt', 'new')
      await change(200)
      expect(await shown()).toMatchObject({ restore_point: now.toISOString(), restore_point_version: '1.0' })

      const { plan } = await test.perform('rollback', { name: 'demo' }, { dryRun: true })
      expect(plan?.notes.join(' ')).toContain('Note: whether rows were changed is unknown')
      expect(plan?.notes.join(' ')).toContain('(1 then, 2 now)')
      sql('alter table note add column updated_dt text')
      sql(`insert into note (text, updated_dt) values ('newer', '2031-01-01 00:00:00')`)
      const { plan: known } = await test.perform('rollback', { name: 'demo' }, { dryRun: true })
      expect(known?.notes).toContain('Note: 1 row added or changed since (1 then, 3 now).')
      expect(appVersion()).toBe('1.1.0')
      const { message, item } = await test.perform('rollback', { name: 'demo' })
      expect(message).toContain(`"demo" is rolled back to 1.0 of ${before.versionDate}`)
      const { version, versionDate, revision } = before
      expect(test.instance('demo')).toMatchObject({ version, versionDate, revision, observed: 'started' })
      expect([appVersion(), texts(), read('file.txt')]).toEqual(['1.0.0', ['first'], 'old'])
      expect((await settings()).maxMemoryMb).toBe(100)
      expect(await healthy()).toBe(200)
      expect(() => sql('select * from extra')).toThrow('no such table')
      const [entry] = (await test.perform('history list', { name: 'demo', limit: 1 })).list as { action: string }[]
      expect(entry?.action).toBe('rollback')

      // Undone by the command that the message names.
      const { saved } = item as { saved: string }
      expect(message).toContain(`manager restore demo --from ${saved} --allow-newer`)
      await test.perform('restore', { name: 'demo', from: saved, 'allow-newer': true })
      expect([appVersion(), texts(), read('file.txt')]).toEqual(['1.1.0', ['first', 'new', 'newer'], 'new'])
      expect(test.instance('demo').revision).toBe(after.revision)
    },
  )

  it('puts everything back when the old version does not start', async () => {
    // A running application notices it at its next start only.
    test.tell('demo', { start: 'fail' })
    await upgrade('1.1.0', { migrate: 'create table if not exists extra (id integer)' })
    sql(`insert into note (text) values ('new')`)
    const { updated: _before, ...before } = test.instance('demo')
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_ROLLED_BACK',
      output: expect.stringContaining('fails to start') as string,
    })
    const { updated: _after, ...after } = test.instance('demo')
    expect(after).toEqual(before)
    expect([appVersion(), texts(), await healthy(), points().length]).toEqual(['1.1.0', ['first', 'new'], 200, 1])
    expect(await test.context.backups.list({ name: 'demo' })).toEqual([])
  })

  it('only a protected instance that would lose data is refused, and one without a restore point', async () => {
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
    await upgrade('1.1.0')
    await test.perform('protect', { name: 'demo' })
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
    await test.perform('unprotect', { name: 'demo' })
    await test.perform('reset', { name: 'demo' })
    expect(points()).toEqual([])
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  })

  it('goes back by one upgrade after the other, and to the version before setversion', async () => {
    await upgrade('1.1.0')
    later(1)
    writeFileSync(join(test.home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${test.template}\n`)
    await publish('2.0.0')
    await test.perform('setversion', { name: 'demo', version: '2.0' })
    expect(await shown()).toMatchObject({ version: '2.0', installed_version: '1.0' })
    await test.perform('upgrade', { name: 'demo' })
    expect(await shown()).toMatchObject({ version: '2.0', installed_version: '2.0' })
    await test.perform('rollback', { name: 'demo' })
    expect([appVersion(), test.instance('demo').version]).toEqual(['1.1.0', '1.0'])
    await test.perform('rollback', { name: 'demo' })
    expect([appVersion(), test.instance('demo').version]).toEqual(['1.0.0', '1.0'])
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  })

  it('leaves its revision out of upgradeall until there is another one, or it is upgraded by name', async () => {
    const upgraded = async () => ((await test.perform('upgradeall')).list as { name: string }[]).map(({ name }) => name)
    await upgrade('1.1.0')
    await test.perform('rollback', { name: 'demo' })
    await test.perform('refresh')
    expect(await test.perform('upgradeall', {}, { dryRun: true })).toMatchObject({
      list: [],
      warnings: [expect.stringMatching(/^"demo" is left out, .*rolled back.*manager upgrade demo$/)],
    })
    expect(await upgraded()).toEqual([])
    expect(appVersion()).toBe('1.0.0')
    await test.perform('upgrade', { name: 'demo' })
    expect([appVersion(), test.instance('demo').heldRevision]).toEqual(['1.1.0', ''])
    await test.perform('rollback', { name: 'demo' })
    later(1)
    await publish('1.2.0')
    expect(await upgraded()).toEqual(['demo'])
    expect(appVersion()).toBe('1.2.0')
  })

  it('works without a save when the present state cannot be saved', async () => {
    await upgrade('1.1.0')
    await test.perform('stop', { name: 'demo' })
    writeFileSync(test.path('demo', 'data', 'database.db'), 'not a database any more')
    await expect(test.perform('rollback', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
    expect(read('database.db')).toBe('not a database any more')
    const { plan } = await test.perform('rollback', { name: 'demo', 'no-save': true }, { dryRun: true })
    expect(plan?.notes.join(' ')).toMatch(/The data that would be lost is unknown: .*cannot be undone/)
    await test.perform('rollback', { name: 'demo', 'no-save': true })
    expect([appVersion(), texts()]).toEqual(['1.0.0', ['first']])
  })
})

describe('restore points', () => {
  it('go when they are too old, with purge, and with their instance; none are kept when that is set', async () => {
    await upgrade('1.1.0')
    expect(points()).toHaveLength(1)
    later(8)
    await test.perform('refresh')
    expect(points()).toEqual([])
    await upgrade('1.2.0')
    const { message } = await test.perform('purge', { entry: 'demo', 'restore-points': true })
    expect(message).toMatch(/^Restore points of \d/)
    expect([points(), (await shown())['restore_points_mb']]).toEqual([[], 0])
    later(1)
    await upgrade('1.3.0')
    const folder = test.path('demo')
    await test.perform('delete', { name: 'demo' })
    await test.perform('undelete', { entry: 'demo' })
    await test.perform('rollback', { name: 'demo' })
    expect(appVersion()).toBe('1.2.0')
    await test.perform('delete', { name: 'demo', purge: true })
    expect(existsSync(folder)).toBe(false)

    writeFileSync(join(test.home, 'config.sh'), 'export APPS_RESTOREPOINTDAYS=0\n', { flag: 'a' })
    await test.perform('add', { name: 'demo' })
    later(1)
    await upgrade('1.4.0')
    expect(points()).toEqual([])
  })
})
