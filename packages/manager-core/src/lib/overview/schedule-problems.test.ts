import { expect, it, onTestFinished } from 'vitest'
import { createMemoryMachine, createMemoryRuntime } from '../runtime/memory-runtime.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { scheduleProblems } from './schedule-problems.js'

it('scheduleProblems() of instances that run: startall is missing when their runtime does not start them at boot', async () => {
  const machine = createMemoryMachine(() => ({ terminate() {}, kill() {} }))
  const runtime = createMemoryRuntime(machine)
  const withBootStart = (bootStart: boolean) => ({
    runs: ['node' as const],
    make: () => ({ ...runtime, capabilities: { ...runtime.capabilities, bootStart } }),
  })
  const test = await createTestManager({
    runtimes: { early: withBootStart(true), late: withBootStart(false) },
    refresh: true,
  })
  onTestFinished(() => test.close())
  await test.perform('add', { name: 'demo', 'no-start': true })
  const { id } = test.instance('demo')
  const problemsWith = async (name: string) => {
    test.context.registry.transaction((writer) => writer.updateInstance(id, { desired: 'started', runtime: name }))
    return (await scheduleProblems(test.context)).filter(({ what }) => what === 'startall')
  }
  expect(await problemsWith('late')).toMatchObject([{ message: expect.stringContaining('instances that run now (1)') }])
  expect(await problemsWith('process')).toHaveLength(1)
  expect(await problemsWith('early')).toEqual([])
  expect(await problemsWith('gone')).toEqual([])
})
