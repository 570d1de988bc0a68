/** @module-tag mixed */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { writeTemplate } from '../testing/fake-application.js'
import { leaveStuck } from '../testing/leave-stuck.js'
import { writeHook } from '../testing/write-hook.js'

let manager: TestManager

afterEach(() => manager?.close())

/** With an instance `demo` that has a note and a file of its own. */
async function managerWithDemo(options: TestManagerOptions = {}): Promise<TestManager> {
  manager = await createTestManager(options)
  await manager.perform('add', { name: 'demo' })
  notes("insert into note (text) values ('mine')")
  writeFileSync(manager.path('demo', 'data', 'letter.txt'), 'Dear Ada')
  return manager
}

function notes(sql = 'select text from note order by id', name = 'demo'): unknown[] {
  const database = new DatabaseSync(manager.path(name, 'data', 'database.db'))
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

const answers = async (port: number) => (await fetch(`http://127.0.0.1:${port}/ping`)).status === 200

test('reset erases data and files; address and credentials stay, and it runs as before', { tags: 'core' }, async () => {
  const { perform, instance, path, context } = await managerWithDemo()
  const before = instance('demo')
  const old = await context.settings.instance(path('demo'))
  writeFileSync(path('demo', 'app', 'patched.txt'), 'by hand')
  const { message } = await perform('reset', { name: 'demo' })
  expect(message).toBe('Instance "demo" is now blank (version 1.0).')
  expect(notes()).toEqual([{ text: 'first' }])
  expect(readdirSync(path('demo', 'data'))).toEqual(['database.db'])
  expect(existsSync(path('demo', 'app', 'patched.txt'))).toBe(false)
  expect(instance('demo')).toEqual({ ...before, updated: instance('demo').updated })
  const fresh = await context.settings.instance(path('demo'))
  expect(fresh.password.reveal()).toBe(old.password.reveal())
  expect(fresh.adminPassword.reveal()).toBe(old.adminPassword.reveal())
  expect(await answers(before.port)).toBe(true)
})

test('the former data can be restored under another name', async () => {
  const { perform } = await managerWithDemo()
  await perform('reset', { name: 'demo' })
  const { list } = await perform('trash')
  expect(list).toMatchObject([{ name: 'demo', reason: 'reset' }])
  await expect(perform('undelete', { entry: 'demo' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
  await perform('undelete', { entry: 'demo', as: 'old' })
  expect(notes(undefined, 'old')).toEqual([{ text: 'first' }, { text: 'mine' }])
  expect(notes()).toEqual([{ text: 'first' }])
})

test('reset to another version, with its hooks; a stopped one stays stopped', async () => {
  const { perform, home, folder, context, instance } = await managerWithDemo()
  const other = join(folder, 'other')
  mkdirSync(other)
  writeTemplate(other, { version: '2.0.0' })
  writeFileSync(join(home, 'version-2.0.sh'), `APPS_TEMPLATE=folder:${other}\n`)
  await context.templates.refresh()
  writeHook(home, 'pre-reset', 'echo "pre $@" >> "$APPS_HOME/calls"')
  writeHook(home, 'post-reset', 'echo "post $@" >> "$APPS_HOME/calls"')
  await perform('stop', { name: 'demo' })
  await perform('reset', { name: 'demo', version: '2.0' })
  expect(instance('demo')).toMatchObject({
    version: '2.0',
    source: 'template:2.0',
    desired: 'stopped',
    observed: 'stopped',
  })
  expect(readFileSync(manager.path('demo', 'app', 'app.yaml'), 'utf8')).toContain('2.0.0')
  expect(readFileSync(join(home, 'calls'), 'utf8')).toBe('pre demo 2.0\npost demo 2.0\n')
})

test('when the blank one does not start, nothing has changed', async () => {
  const { perform, template, context, instance, home } = await managerWithDemo()
  writeTemplate(template, { version: '1.0.1', fake: { start: 'fail' } })
  await context.templates.refresh()
  const before = instance('demo')
  await expect(perform('reset', { name: 'demo' })).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    output: expect.stringContaining('as it was told'),
  })
  expect(notes()).toEqual([{ text: 'first' }, { text: 'mine' }])
  expect(await answers(before.port)).toBe(true)
  expect(instance('demo')).toMatchObject({ revision: before.revision, observed: 'started', operation: '' })
  expect(readdirSync(join(home, 'instances'))).toEqual([before.id])
  expect(readdirSync(join(home, 'trash'))).toEqual([])
  expect(existsSync(manager.path('demo', 'trash.json'))).toBe(false)
})

test('protected instances and unknown versions are refused', { tags: 'core' }, async () => {
  const { perform } = await managerWithDemo()
  await expect(perform('reset', { name: 'demo', version: '7' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await perform('protect', { name: 'demo' })
  await expect(perform('reset', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_PROTECTED' })
  expect(notes()).toHaveLength(2)
})

test('an instance that lost its home is made again', async () => {
  const { perform, path } = await managerWithDemo()
  await perform('stop', { name: 'demo' })
  rmSync(path('demo'), { recursive: true })
  await perform('reset', { name: 'demo' })
  await perform('start', { name: 'demo' })
  expect(notes()).toEqual([{ text: 'first' }])
})

test('what stuck operations had replaced goes to the trash, and what never went live is removed', async () => {
  const { perform, path, home, instance } = await managerWithDemo()
  leaveStuck(manager, 'demo')
  await perform('reset', { name: 'demo' })
  expect(readdirSync(join(home, 'instances'))).toEqual([instance('demo').id])
  const entries = (await perform('trash')).list as readonly Record<string, string>[]
  expect(entries.map(({ reason }) => reason).toSorted()).toEqual(['reset', 'restore'])
  await perform('undelete', { entry: entries.find(({ reason }) => reason === 'restore')?.['entry'], as: 'old' })
  expect(readFileSync(path('old', 'data', 'letter.txt'), 'utf8')).toBe('Dear Ada')
  expect(notes(undefined, 'old')).toEqual([{ text: 'first' }, { text: 'mine' }])
})
