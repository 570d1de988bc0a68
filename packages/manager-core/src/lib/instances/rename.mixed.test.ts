/** @module-tag mixed */
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { restoreKind } from '../backup/restore.js'
import { deleteKind } from './delete.js'
import { resetKind } from './reset.js'
import { createTestManager, type TestManager, type TestManagerOptions } from '../testing/create-test-manager.js'

let manager: TestManager

afterEach(() => manager?.close())

async function managerWithDemo(options: TestManagerOptions = {}): Promise<TestManager> {
  manager = await createTestManager(options)
  await manager.perform('add', { name: 'demo' })
  return manager
}

const pidsOf = async (name: string) => {
  const { id } = manager.instance(name)
  return (await manager.context.runtimes.named('process').observe({ id, folder: manager.path(name) })).pids
}

test('a renamed instance keeps all but its name, and keeps running', { tags: 'core' }, async () => {
  const { perform, instance } = await managerWithDemo()
  const [before, pids] = [instance('demo'), await pidsOf('demo')]
  const { message } = await perform('mv', { name: 'DEMO', new: 'Sales' })
  expect(message).toBe('Instance "demo" is now named "Sales".')
  expect(instance('sales')).toEqual({ ...before, name: 'Sales', updated: instance('sales').updated })
  expect(await pidsOf('sales')).toEqual(pids)
  expect(() => instance('demo')).toThrow('No instance is named "demo".')
  expect(manager.context.registry.history({ instance: before.id }).map(({ action }) => action)).toEqual([
    'add',
    'rename',
  ])
})

test(
  'another case of its own name is allowed; the same name, names in use and bad ones are not',
  { tags: 'core' },
  async () => {
    const { perform, instance } = await managerWithDemo()
    await perform('add', { name: 'other', 'no-start': true })
    await perform('rename', { name: 'demo', new: 'Demo' })
    expect(instance('demo').name).toBe('Demo')
    await expect(perform('rename', { name: 'demo', new: 'Demo' })).rejects.toMatchObject({ code: 'ERR_STATE' })
    await expect(perform('rename', { name: 'demo', new: 'OTHER' })).rejects.toMatchObject({ code: 'ERR_NAME_TAKEN' })
    for (const name of ['..', 'a b', 'x'.repeat(21), 'dêmo'])
      await expect(perform('rename', { name: 'demo', new: name })).rejects.toMatchObject({ code: 'ERR_NAME' })
  },
)

test('instances below their names are started again with the new context', async () => {
  const { perform, path, instance } = await managerWithDemo({ config: ['export APPS_ROOTCONTEXT=false'] })
  const context = (name: string) => /^SERVICE_CONTEXT=(.*)$/m.exec(readFileSync(path(name, 'settings.sh'), 'utf8'))?.[1]
  expect(context('demo')).toBe('/demo')
  const pids = await pidsOf('demo')
  await perform('rename', { name: 'demo', new: 'sales' })
  expect(context('sales')).toBe('/sales')
  expect(instance('sales').observed).toBe('started')
  expect(await pidsOf('sales')).not.toEqual(pids)
})

test('when it does not start with the new context, name and context stay', async () => {
  const { perform, path, tell, context, instance } = await managerWithDemo({
    config: ['export APPS_ROOTCONTEXT=false'],
  })
  tell('demo', { start: 'fail' })
  await expect(perform('rename', { name: 'demo', new: 'sales' })).rejects.toMatchObject({ code: 'ERR_ATTENTION' })
  expect((await context.settings.instance(path('demo'))).context).toBe('/demo')
  expect(instance('demo').name).toBe('demo')
})

test('what was to replace or remove it under its former name is refused after the renaming', async () => {
  const { perform, instance, context, caller } = await managerWithDemo()
  const { id } = instance('demo')
  await perform('save', { name: 'demo' })
  const { folder: backup } = await context.backups.find('demo', 'latest')
  await perform('rename', { name: 'demo', new: 'sales' })
  // As those ask that waited for the lock meanwhile.
  const former = { id, name: 'demo' }
  const restore = { ...former, backup, parts: 'all', allowNewer: false } as const
  const refusal = { code: 'ERR_STATE', message: 'Instance "demo" is now named "sales".' }
  await expect(context.operations.run(restoreKind, restore, caller)).rejects.toMatchObject(refusal)
  await expect(
    context.operations.run(deleteKind, { ...former, force: false, purge: false }, caller),
  ).rejects.toMatchObject(refusal)
  await expect(context.operations.run(resetKind, { ...former, version: null }, caller)).rejects.toMatchObject(refusal)
})
