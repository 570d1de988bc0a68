/** @module-tag mixed */
import { cpSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createManager, type Manager } from '../manager.js'
import { createHomePlaceRow } from '../store/home-place-rows.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { fakeApplicationServer } from '../testing/fake-application.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function fixture(): Promise<TestManager> {
  const test = await createTestManager()
  closing.push(() => test.close())
  await test.perform('add', { name: 'one' })
  return test
}

/** A manager of another folder, with the caller of the first one. */
function managerAt({ folder, template, caller }: TestManager, name: string) {
  const home = join(folder, name)
  const manager: Manager = createManager({ home, applicationServer: fakeApplicationServer, defaultTemplate: template })
  closing.push(() => manager.close())
  const perform = (action: string, input = {}) => manager.perform(action, input, caller)
  return { home, manager, perform }
}

function copyOf(test: TestManager) {
  cpSync(test.home, join(test.folder, 'copy'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return managerAt(test, 'copy')
}

const stateOf = async ({ perform }: Pick<TestManager, 'perform'>) => (await perform('get', { name: 'one' })).item

it('a copy of a home changes nothing, and the instance of the original keeps running', { tags: 'core' }, async () => {
  const test = await fixture()
  const copy = copyOf(test)
  const refused = { code: 'ERR_STATE', command: 'doctor --adopt', message: expect.stringContaining('copied or moved') }
  for (const [action, input] of [
    ['stop', { name: 'one', force: true }],
    ['delete', { name: 'one' }],
    ['restart', { name: 'one' }],
    ['save', { name: 'one' }],
    ['add', { name: 'two' }],
    ['doctor', { fix: true }],
    ['shell', { name: 'one' }],
    ['database', { name: 'one' }],
    ['serve', {}],
    ['refresh', {}],
  ] as const)
    await expect(copy.perform(action, input), action).rejects.toMatchObject(refused)
  expect(await stateOf(test)).toMatchObject({ status: 'started' })
  const { list, warnings } = await copy.perform('list')
  expect(list).toHaveLength(1)
  expect(warnings?.[0]).toContain('doctor --adopt')
  expect((await copy.perform('doctor', { category: 'home' })).list).toContainEqual(
    expect.objectContaining({ check: 'home-place', level: 'error' }),
  )
})

it('doctor --adopt is refused while the original is still there', async () => {
  const test = await fixture()
  const copy = copyOf(test)
  await expect(copy.perform('doctor', { adopt: true })).rejects.toMatchObject({
    code: 'ERR_STATE',
    message: expect.stringContaining(`The original home is still at ${test.home}`),
  })
  await expect(test.perform('doctor', { adopt: true })).resolves.toMatchObject({
    message: expect.stringContaining('neither copied nor moved'),
  })
})

it('a home that was moved works again after doctor --adopt, and the former one no longer does', async () => {
  const test = await fixture()
  await test.perform('stop', { name: 'one' })
  const copy = copyOf(test)
  renameSync(test.home, join(test.folder, 'former'))
  await expect(copy.perform('start', { name: 'one' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  const { message, list, warnings } = await copy.perform('doctor', { adopt: true })
  expect([message, list]).toEqual([expect.stringContaining(`${copy.home} is the home now`), undefined])
  expect(warnings).toEqual([expect.stringMatching(/^Check the schedule/)])
  await copy.perform('start', { name: 'one' })
  await copy.perform('delete', { name: 'one' })
  const former = managerAt(test, 'former')
  await expect(former.perform('start', { name: 'one' })).rejects.toMatchObject({ code: 'ERR_STATE' })
})

it('a home on another machine, or put in the place of the original, must be adopted', async () => {
  const test = await fixture()
  const row = createHomePlaceRow(test.context.registry)
  const recorded = row.get()
  if (!recorded) throw new Error('The first command records where the home is.')
  expect(recorded.inode).toBe(String(statSync(test.home, { bigint: true }).ino))
  if (recorded.machine !== '') {
    row.set({ ...recorded, machine: 'f'.repeat(32) })
    await expect(test.perform('stop', { name: 'one' })).rejects.toMatchObject({
      message: expect.stringContaining('another disk or machine'),
    })
  }
  row.set({ ...recorded, inode: '1' })
  await expect(test.perform('stop', { name: 'one' })).rejects.toMatchObject({ code: 'ERR_STATE' })
  await test.perform('doctor', { adopt: true })
  await test.perform('stop', { name: 'one' })
})

it('a copy does not recover what a dead command left', async () => {
  const test = await fixture()
  const copy = copyOf(test)
  const recover = vi.spyOn(copy.manager.context.operations, 'recover')
  const ofOriginal = vi.spyOn(test.context.operations, 'recover')
  await copy.perform('list')
  await test.perform('list')
  expect([recover.mock.calls.length, ofOriginal.mock.calls.length]).toEqual([0, 1])
})
