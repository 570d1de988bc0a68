/** @module-tag mixed */
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { specOf } from '../application/instance-spec.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'

let manager: TestManager

afterEach(() => manager?.close())

const isTold = async () => (await specOf(manager.context, manager.instance('demo'))).environment.STEWARD_NEUTRALISED

test('neutralise passes the state to the application, restarts it, and shows it', { tags: 'core' }, async () => {
  manager = await createTestManager()
  const { perform, instance, path, context } = manager
  await perform('add', { name: 'demo' })
  const pids = async () =>
    (await context.runtimes.named('process').observe({ id: instance('demo').id, folder: path('demo') })).pids
  const [before, settings] = [await pids(), readFileSync(path('demo', 'settings.sh'), 'utf8')]
  expect(await isTold()).toBe('false')
  const { environment } = await specOf(context, instance('demo'))
  expect(environment['STEWARD_INSTANCE']).toBe(instance('demo').id)
  expect((await perform('neutralise', { name: 'demo' })).message).toBe('Instance "demo" sends nothing out now.')
  expect(await isTold()).toBe('true')
  expect(await pids()).not.toEqual(before)
  expect(instance('demo').observed).toBe('started')
  expect((await perform('get', { name: 'demo' })).item).toMatchObject({ neutralised: 'yes' })
  expect((await perform('config', { 'of-instance': 'demo' })).list).toContainEqual(
    expect.objectContaining({ name: 'SERVICE_NEUTRALISED', value: 'true' }),
  )
  const now = await pids()
  await perform('neutralise', { name: 'demo' })
  expect(await pids()).toEqual(now)
  await perform('unneutralise', { name: 'demo' })
  expect((await perform('get', { name: 'demo' })).item).toMatchObject({ neutralised: 'no' })
  expect(readFileSync(path('demo', 'settings.sh'), 'utf8')).toBe(settings)
})

test('one that is stopped stays stopped; what is cloned from it or created from its backup is neutralised too', async () => {
  manager = await createTestManager()
  const { perform, instance } = manager
  await perform('add', { name: 'demo', 'no-start': true })
  await perform('neutralise', { name: 'demo' })
  expect(instance('demo').observed).toBe('stopped')
  await perform('clone', { name: 'demo', new: 'copy' })
  await perform('save', { name: 'demo' })
  await perform('restore', { name: 'demo', as: 'again' })
  for (const name of ['copy', 'again'])
    expect((await perform('get', { name })).item).toMatchObject({ neutralised: 'yes' })
})
