import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { processesOf } from '../testing/end-processes.js'
import type { Diagnosis } from '../doctor/doctor.js'

let test: TestManager
beforeAll(async () => {
  test = await createTestManager({ config: ['APPS_DATABASES=sqlite'] })
})
afterAll(() => test.close())

const isAnswered = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
const doctor = async (fix = false) => {
  const { list } = await test.perform('doctor', { category: 'instances', fix })
  return (list as unknown as readonly Diagnosis[]).filter(({ check }) => check === 'left-processes')
}

/** An instance that runs, and whose home is gone. */
async function lost(name: string) {
  await test.perform('add', { name })
  const [home, { id, port }] = [test.path(name), test.instance(name)]
  const processes = processesOf(home)
  expect(processes.length).toBeGreaterThanOrEqual(2)
  rmSync(home, { recursive: true })
  return { id, home, port, processes }
}

describe('an instance that runs and whose folder was lost', () => {
  it.each([
    ['stop', {}],
    ['stop', { force: true }],
    ['delete', {}],
    ['delete', { purge: true }],
  ] as const)('%s %j ends its processes', async (action, input) => {
    const { home, port } = await lost('demo')
    expect((await test.perform('list', { filter: 'demo' })).list).toMatchObject([{ observed: 'degraded' }])
    // Nothing of these is its own, though it is called alike.
    const bystander = spawn('sleep', ['600'], { env: { ...process.env, STEWARD_LOG: `${home}/logs/other.log` } })
    await once(bystander, 'spawn')
    try {
      await test.perform(action, { name: 'demo', ...input })
      expect(await isAnswered(port)).toBe(false)
      expect(processesOf(home)).toEqual([bystander.pid])
    } finally {
      bystander.kill('SIGKILL')
    }
    if (action === 'stop') await test.perform('delete', { name: 'demo' })
  })
})

it('doctor reports processes and ports of an instance that is gone, and --fix ends them', async () => {
  const { id, port, processes } = await lost('gone')
  test.context.registry.transaction((writer) => writer.deleteInstance(id))
  expect(await doctor()).toMatchObject([
    {
      level: 'error',
      fixable: true,
      message: expect.stringMatching(new RegExp(`^Processes .*${processes[0]}.* belong`)),
    },
  ])
  expect((await doctor())[0]?.message).toContain(`port ${port}`)
  expect(await doctor(true)).toMatchObject([{ level: 'fixed' }])
  expect(await isAnswered(port)).toBe(false)
  expect(await doctor()).toMatchObject([{ level: 'ok' }])
})

it('one whose files say that it was stopped is left alone by a look at those of another copy', async () => {
  await test.perform('add', { name: 'two' })
  const { id } = test.instance('two')
  const ref = { id, folder: test.path('two') }
  await test.context.runtimes.named('process').stop({ ...ref, copy: 'b' }, { graceMs: 0, force: true })
  expect((await test.context.runtimes.named('process').observe(ref)).state).toBe('started')
})
