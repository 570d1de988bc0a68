/** @module-tag mixed */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import { leaveStuck } from '../testing/leave-stuck.js'
import { writeHook } from '../testing/write-hook.js'

let manager: TestManager

afterEach(() => manager?.close())

async function managerWithDemo(options: TestManagerOptions = {}, isStarted = true): Promise<TestManager> {
  manager = await createTestManager(options)
  await manager.perform('add', { name: 'demo', 'no-start': !isStarted })
  return manager
}

const managerWithStoppedDemo = (options?: TestManagerOptions) => managerWithDemo(options, false)

const entriesOf = async () => (await manager.perform('trash')).list as readonly Record<string, string>[]

test('a deleted instance is stopped and in the trash; its name and port are free', async () => {
  const { perform, context, home, instance } = await managerWithDemo()
  const { port, id } = instance('demo')
  const { message, data } = await perform('delete', { name: 'demo' })
  expect(message).toBe('Instance "demo" is deleted; to restore it, use undelete.')
  expect(processesOf(join(home, 'instances'))).toEqual([])
  expect(context.registry.count()).toBe(0)
  expect(readdirSync(join(home, 'instances'))).toEqual([])
  const [entry] = await entriesOf()
  expect(entry).toMatchObject({ name: 'demo', reason: 'delete', version: '1.0', database: 'sqlite', by: 'tester' })
  expect(data).toEqual({ entry: entry?.entry })
  expect(Number(entry?.size)).toBeGreaterThan(1000)
  expect((await perform('trash', { measure: false })).list).toEqual([{ ...entry, size: undefined }])
  expect(entry?.entry).toMatch(new RegExp(`^demo-\\d{8}T\\d{6}Z-${id}$`))
  expect(statSync(join(home, 'trash')).mode & 0o777).toBe(0o700)
  await perform('add', { name: 'demo', 'no-start': true })
  expect(instance('demo').port).toBe(port)
})

test('undelete brings it back with its data and secrets, running as it was', { tags: 'core' }, async () => {
  const { perform, path, instance, home } = await managerWithDemo()
  await perform('protect', { name: 'demo' })
  await perform('unprotect', { name: 'demo' })
  const before = instance('demo')
  writeFileSync(path('demo', 'data', 'letter.txt'), 'Dear Ada')
  const password = /SERVICE_PASSWORD=.*/.exec(readFileSync(path('demo', 'settings.sh'), 'utf8'))?.[0]
  await perform('delete', { name: 'demo' })
  const { message } = await perform('undelete', { entry: 'Demo' })
  const after = instance('demo')
  expect(message).toBe(`Instance "demo" is back, started: http://127.0.0.1:${after.port}`)
  expect(after).toMatchObject({ id: before.id, created: before.created, desired: 'started', observed: 'started' })
  expect(readFileSync(path('demo', 'data', 'letter.txt'), 'utf8')).toBe('Dear Ada')
  expect(readFileSync(path('demo', 'settings.sh'), 'utf8')).toContain(password)
  expect(existsSync(path('demo', 'trash.json'))).toBe(false)
  expect(readdirSync(join(home, 'trash'))).toEqual([])
})

test('undelete takes another name and another port when its own are taken, and goes back when it does not start', async () => {
  const { perform, instance, tell, context, path } = await managerWithDemo()
  tell('demo', { start: 'fail' })
  await perform('delete', { name: 'demo' })
  await perform('add', { name: 'demo', 'no-start': true })
  await expect(perform('undelete', { entry: 'demo' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
  await expect(perform('undelete', { entry: 'demo', as: 'old' })).rejects.toMatchObject({ code: 'ERR_ROLLED_BACK' })
  expect(context.registry.count()).toBe(1)
  const [entry] = await entriesOf()
  writeFileSync(join(manager.home, 'trash', String(entry?.entry), 'app', 'fake.json'), '{}')
  await perform('undelete', { entry: entry?.entry, as: 'old' })
  expect(instance('old').port).not.toBe(instance('demo').port)
  expect((await context.settings.instance(path('old'))).url).toBe(`http://127.0.0.1:${instance('old').port}/io`)
})

test('a protected instance is refused', { tags: 'core' }, async () => {
  const { perform, instance } = await managerWithDemo()
  await perform('protect', { name: 'demo' })
  await expect(perform('rm', { name: 'demo' })).rejects.toMatchObject({
    code: 'ERR_PROTECTED',
    message: 'Instance "demo" is protected and cannot be deleted.',
    help: 'Remove the protection first: manager unprotect demo',
    command: 'unprotect demo',
  })
  expect(instance('demo').observed).toBe('started')
})

test('hooks run before and after; a failing pre-hook leaves it running', async () => {
  const { perform, home, instance } = await managerWithDemo()
  writeHook(home, 'pre-del', 'echo not today; exit 1')
  await expect(perform('del', { name: 'demo' })).rejects.toMatchObject({ output: expect.stringContaining('not today') })
  expect((await fetch(`http://127.0.0.1:${instance('demo').port}/ping`)).status).toBe(200)
  writeHook(home, 'pre-del', 'exit 0')
  writeHook(home, 'post-del', 'echo "$@ $SERVICE_USER" > "$APPS_HOME/post"')
  await perform('del', { name: 'demo', force: 'true' })
  expect(readFileSync(join(home, 'post'), 'utf8')).toBe('demo force=true service\n')
})

test('without days in the trash, or with --purge, nothing is kept', async () => {
  const { perform, home } = await managerWithStoppedDemo()
  const { message } = await perform('delete', { name: 'demo', purge: true })
  expect(message).toBe('Instance "demo" is deleted.')
  expect(readdirSync(join(home, 'trash'))).toEqual([])
})

test('what has been in the trash long enough goes with the next delete', async () => {
  let now = new Date('2026-11-21T03:00:00Z')
  const { perform } = await managerWithStoppedDemo({ config: ['export APPS_TRASHDAYS=2'], clock: () => now })
  await perform('delete', { name: 'demo' })
  expect(await entriesOf()).toMatchObject([{ expires: '2026-11-23T03:00:00.000Z' }])
  await perform('add', { name: 'other', 'no-start': true })
  now = new Date('2026-11-23T04:00:00Z')
  await perform('delete', { name: 'other' })
  expect((await entriesOf()).map(({ name }) => name)).toEqual(['other'])
})

test('purge takes one entry or all, and says what is not there', { tags: 'core' }, async () => {
  const { perform } = await managerWithStoppedDemo()
  for (const name of ['one', 'two']) await perform('add', { name, 'no-start': true })
  for (const name of ['demo', 'one', 'two']) await perform('delete', { name })
  await expect(perform('purge')).rejects.toMatchObject({ code: 'ERR_USAGE' })
  await expect(perform('purge', { entry: '../instances' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  await perform('purge', { entry: 'one' })
  expect((await entriesOf()).map(({ name }) => name).toSorted()).toEqual(['demo', 'two'])
  expect((await perform('purge', { all: true })).message).toBe('2 permanently deleted.')
  expect(await entriesOf()).toEqual([])
})

test('an instance that lost its home can be deleted', async () => {
  const { perform, path, context } = await managerWithStoppedDemo()
  rmSync(path('demo'), { recursive: true })
  await perform('delete', { name: 'demo' })
  expect(context.registry.count()).toBe(0)
  await expect(perform('undelete', { entry: 'demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await perform('purge', { entry: 'demo' })
  expect(await entriesOf()).toEqual([])
})

test('what in the trash is none of ours, or was changed by hand, is left alone', async () => {
  const { perform, home } = await managerWithStoppedDemo({ config: ['export APPS_TRASHDAYS=0'] })
  for (const [entry, record] of [
    ['mine', undefined],
    ['cut', '{"format": 1, "inst'],
    ['other', '[]'],
    ['null', 'null'],
  ] as const) {
    mkdirSync(join(home, 'trash', entry), { recursive: true })
    if (record !== undefined) writeFileSync(join(home, 'trash', entry, 'trash.json'), record)
  }
  writeFileSync(join(home, 'trash', 'file'), '')
  await perform('delete', { name: 'demo' })
  expect(await entriesOf()).toEqual([])
  expect(readdirSync(join(home, 'trash')).toSorted()).toEqual(['cut', 'file', 'mine', 'null', 'other'])
})

test('what stuck operations had replaced goes to the trash with the instance, and what never went live is removed', async () => {
  const { perform, path, home, context } = await managerWithStoppedDemo()
  leaveStuck(manager, 'demo')
  const { warnings = [] } = await perform('delete', { name: 'demo' })
  expect(readdirSync(join(home, 'instances'))).toEqual([])
  expect(context.registry.history().filter(({ action }) => action === 'giveup')).toHaveLength(2)
  const entries = await entriesOf()
  expect(entries.map(({ reason }) => reason).toSorted()).toEqual(['delete', 'restore'])
  const kept = String(entries.find(({ reason }) => reason === 'restore')?.['entry'])
  expect(warnings).toContain(`The contents that an earlier operation replaced are in the trash: ${kept}.`)
  await perform('undelete', { entry: kept, as: 'old' })
  expect(readFileSync(path('old', 'data', 'letter.txt'), 'utf8')).toBe('Dear Ada')
})

test('with --purge nothing of it is kept', async () => {
  const { perform, home } = await managerWithStoppedDemo()
  leaveStuck(manager, 'demo')
  await perform('delete', { name: 'demo', purge: true })
  expect(readdirSync(join(home, 'instances'))).toEqual([])
  expect(readdirSync(join(home, 'trash'))).toEqual([])
})

test('a deletion that fails leaves it where it is, and so does giveup, which says where', async () => {
  const { perform, home } = await managerWithStoppedDemo()
  const [restore, reset] = leaveStuck(manager, 'demo')
  const work = join(home, 'instances', `.${restore}.restore`)
  writeHook(home, 'pre-del', 'exit 1')
  await expect(perform('delete', { name: 'demo' })).rejects.toMatchObject({ code: expect.any(String) })
  expect(readFileSync(join(work, 'old', 'data', 'letter.txt'), 'utf8')).toBe('Dear Ada')
  const { message } = await perform('giveup', { operation: restore })
  expect(message).toContain(work)
  await perform('giveup', { operation: reset })
  expect(existsSync(work)).toBe(true)
})
