import { afterEach, expect, test } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let manager: TestManager

afterEach(() => manager?.close())

async function managerWithDemo(): Promise<TestManager> {
  manager = await createTestManager()
  await manager.perform('add', { name: 'demo', 'no-start': true })
  return manager
}

test('flags are set and taken back, and say when they were so already', async () => {
  const { perform, instance, context } = await managerWithDemo()
  for (const [action, key, value, state] of [
    ['protect', 'protected', true, 'is protected'],
    ['unprotect', 'protected', false, 'is not protected'],
    ['noautoupdate', 'autoUpdate', false, 'is not included in nightly upgrades'],
    ['autoupdate', 'autoUpdate', true, 'is included in nightly upgrades'],
    ['autosave', 'autoSave', true, 'is included in nightly backups'],
    ['noautosave', 'autoSave', false, 'is not included in nightly backups'],
  ] as const) {
    expect((await perform(action, { name: 'DEMO' })).message).toBe(`Instance "demo" ${state} now.`)
    expect(instance('demo')[key]).toBe(value)
    expect((await perform(action, { name: 'demo' })).message).toBe(`Nothing to do: instance "demo" ${state}.`)
  }
  const history = context.registry.history({ instance: instance('demo').id })
  expect(history).toHaveLength(13)
  expect(history.at(-1)).toMatchObject({ action: 'noautosave', actor: 'tester', result: 'ok' })
})

test('seturl and reseturl change the custom URL; what is not an address is refused', async () => {
  const { perform, instance } = await managerWithDemo()
  await perform('seturl', { name: 'demo', url: 'https://Sales.Example.com/' })
  expect(instance('demo').customUrl).toBe('https://sales.example.com')
  await expect(perform('seturl', { name: 'demo', url: 'sales' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  await expect(perform('seturl', { name: 'demo' })).rejects.toMatchObject({ code: 'ERR_USAGE' })
  expect((await perform('reseturl', { name: 'demo' })).message).toBe('Instance "demo" has no custom URL now.')
  expect((await perform('reseturl', { name: 'demo' })).message).toBe(
    'Nothing to do: instance "demo" has no custom URL.',
  )
  expect(instance('demo').customUrl).toBe('')
})

test('a flag of an instance that another command changes is refused, naming the holder', async () => {
  const { perform, instance, context } = await managerWithDemo()
  const { id } = instance('demo')
  await context.locks.with([`instance:${id}`], { purpose: 'upgrade of demo by alice' }, async () => {
    await expect(perform('protect', { name: 'demo' })).rejects.toMatchObject({
      code: 'ERR_BUSY',
      message: expect.stringContaining('upgrade of demo by alice'),
    })
  })
  await expect(perform('protect', { name: 'none' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
})

test('a dry run of a flag changes nothing', async () => {
  const { perform, instance } = await managerWithDemo()
  const { plan } = await perform('protect', { name: 'demo' }, { dryRun: true })
  expect(plan).toMatchObject({ title: 'Protect instance "demo"', steps: [] })
  expect(instance('demo').protected).toBe(false)
})
