/** @module-tag mixed */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import type { OperationEvent } from '../domain/caller.js'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { writeHook } from '../testing/write-hook.js'

let manager: TestManager

afterEach(() => manager?.close())

/** With an instance `demo` that has some data. */
async function managerWithDemo(options: TestManagerOptions = {}): Promise<TestManager> {
  manager = await createTestManager(options)
  await manager.perform('add', { name: 'demo' })
  const data = manager.path('demo', 'data')
  mkdirSync(join(data, 'documents'))
  mkdirSync(join(data, 'tmp'))
  writeFileSync(join(data, 'documents', 'letter.txt'), 'Dear Ada')
  writeFileSync(join(data, 'tmp', 'half.txt'), '')
  writeFileSync(join(data, 'token.secret'), 'sign here')
  execFileSync('mkfifo', [join(data, 'pipe')])
  query('demo', "insert into note (text) values ('of the source')")
  return manager
}

function query(name: string, sql: string): unknown[] {
  const database = new DatabaseSync(manager.path(name, 'data', 'database.db'))
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

const answers = async (port: number) => (await fetch(`http://127.0.0.1:${port}/ping`)).status === 200

test('a clone has the application and data of its source, and secrets of its own', { tags: 'core' }, async () => {
  const { perform, instance, path, context } = await managerWithDemo()
  writeFileSync(path('demo', 'app', 'patched.txt'), 'by hand')
  const before = instance('demo')
  const { message } = await perform('clone', { name: 'demo', new: 'copy' })
  const [source, copy] = [instance('demo'), instance('copy')]
  expect(message).toBe(
    `Instance "copy" (a clone of "demo", sqlite) is started: http://127.0.0.1:${copy.port}\nLog in with a user ` +
      'of "demo".',
  )
  expect(query('copy', 'select text from note order by id')).toEqual([{ text: 'first' }, { text: 'of the source' }])
  expect(readFileSync(path('copy', 'data', 'documents', 'letter.txt'), 'utf8')).toBe('Dear Ada')
  expect(readFileSync(path('copy', 'app', 'patched.txt'), 'utf8')).toBe('by hand')
  expect(readdirSync(path('copy', 'data')).toSorted()).toEqual(['database.db', 'documents'])

  const [old, fresh] = await Promise.all([
    context.settings.instance(path('demo')),
    context.settings.instance(path('copy')),
  ])
  expect(fresh.password.reveal()).not.toBe(old.password.reveal())
  expect(fresh.adminPassword.reveal()).not.toBe(old.adminPassword.reveal())
  expect(fresh.url).toBe(`http://127.0.0.1:${copy.port}/io`)
  expect(source).toEqual(before)
  expect(await answers(source.port)).toBe(true)
  expect(await answers(copy.port)).toBe(true)
})

test('flags, custom URL and automatic work are not cloned unless options say so', async () => {
  const { perform, instance } = await managerWithDemo()
  for (const flag of ['protect', 'autosave', 'autoupdate']) await perform(flag, { name: 'demo' })
  await perform('seturl', { name: 'demo', url: 'https://sales.example.com/' })
  await perform('cp', { name: 'demo', new: 'plain', 'no-start': true })
  expect(instance('plain')).toMatchObject({
    ...{ protected: false, autoSave: false, autoUpdate: false, customUrl: '' },
    ...{ source: 'instance:demo', desired: 'stopped', observed: 'stopped' },
  })
  await perform('clone', { name: 'demo', new: 'asked', auto_save: 'yes', protected: 'yes', 'no-start': true })
  expect(instance('asked')).toMatchObject({ protected: true, autoSave: true, autoUpdate: false })
})

test('add with the name of an instance clones it; a clone of a stopped one is stopped', async () => {
  const { perform, instance } = await managerWithDemo()
  await perform('stop', { name: 'demo' })
  writeHook(manager.home, 'post-add', 'echo "$@" > "$APPS_HOME/post"')
  const { item } = await perform('add', { name: 'copy', from: 'DEMO' })
  expect(item).toMatchObject({ name: 'copy', status: 'stopped', source: 'instance:demo' })
  expect(instance('demo').observed).toBe('stopped')
  expect(readFileSync(join(manager.home, 'post'), 'utf8')).toMatch(/^copy demo database=sqlite /)
})

test('a clone that does not start leaves nothing, and its source keeps running', { tags: 'core' }, async () => {
  const { perform, tell, instance, home, context } = await managerWithDemo()
  tell('demo', { start: 'fail' })
  await expect(perform('clone', { name: 'demo', new: 'copy' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
  expect(context.registry.count()).toBe(1)
  expect(readdirSync(join(home, 'instances'))).toEqual([instance('demo').id])
  expect(await answers(instance('demo').port)).toBe(true)
})

test('names that are taken, and sources that are not there, are refused', { tags: 'core' }, async () => {
  const { perform } = await managerWithDemo()
  await expect(perform('clone', { name: 'demo', new: 'Demo' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
  await expect(perform('clone', { name: 'none', new: 'copy' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await expect(perform('clone', { name: 'demo', new: '../x' })).rejects.toMatchObject({ code: 'ERR_NAME' })
  await expect(perform('clone', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  expect(existsSync(manager.path('demo', 'data', 'database.db'))).toBe(true)
})

test('a clone that is cancelled leaves nothing, and its source keeps running', async () => {
  const { perform, instance, home, context } = await managerWithDemo()
  const abort = new AbortController()
  const onEvent = (event: OperationEvent) => {
    if (event.type === 'step' && event.step === 'data') abort.abort()
  }
  const cloning = perform('clone', { name: 'demo', new: 'copy' }, { signal: abort.signal, onEvent })
  await expect(cloning).rejects.toThrow('It was cancelled.')
  expect(context.registry.count()).toBe(1)
  expect(readdirSync(join(home, 'instances'))).toEqual([instance('demo').id])
  expect(await answers(instance('demo').port)).toBe(true)
})
