import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RuntimeRow } from '../runtime/built-in.js'
import type { Rolled } from '../runtime/runtime.js'
import { createTestManager, type TestManager } from '../testing/create-test-manager.js'
import { writeTemplate } from '../testing/fake-application.js'

let test: TestManager
let outcome: Rolled['state'] = 'completed'
const calls: (readonly [string, string, number?])[] = []

/** Processes that are replaced as the tasks of a swarm are, and put back as `outcome` says. */
const rolling: RuntimeRow = {
  runs: ['node'],
  make({ named }) {
    const processes = named('process')
    return {
      ...processes,
      name: 'rolling',
      capabilities: Object.freeze({ ...processes.capabilities, nativeRollback: true }),
      async roll(spec, { id, windowMs }) {
        calls.push(['roll', id, windowMs])
        if (outcome === 'rolled-back') return { state: outcome, message: 'task 7 failed' }
        await processes.stop(spec, { graceMs: 10_000 })
        await processes.start(spec)
        return { state: outcome, message: '' }
      },
      async unroll(_, { id }) {
        calls.push(['unroll', id])
      },
    }
  },
}

beforeAll(async () => {
  test = await createTestManager({ runtimes: { rolling }, config: ['export APPS_HEALTHWINDOW=2'] })
  await test.perform('add', { name: 'demo', runtime: 'rolling' })
  appendFileSync(test.path('demo', 'settings.sh'), 'export SERVICE_REPLICAS=2\n')
})
afterAll(() => test?.close())

const versionThere = () => /^version: (.*)$/m.exec(readFileSync(test.path('demo', 'app', 'app.yaml'), 'utf8'))?.[1]

async function upgradeTo(version: string) {
  calls.length = 0
  writeTemplate(test.template, { version })
  await test.perform('refresh')
  return test.perform('upgrade', { name: 'demo' })
}

it('restart of an instance with replicas lets its runtime replace them, without a reverse proxy', async () => {
  const { port } = test.instance('demo')
  const { plan } = await test.perform('restart', { name: 'demo' }, { dryRun: true })
  expect(plan?.notes).toEqual(['No downtime: its tasks are replaced one after the other.'])
  expect((await test.perform('restart', { name: 'demo' })).warnings).toBeUndefined()
  expect(calls).toEqual([['roll', expect.any(String), 0]])
  expect(test.instance('demo')).toMatchObject({ port, observed: 'started' })
})

it('upgrade lets its runtime replace and watch them', async () => {
  expect((await upgradeTo('1.1.0')).warnings).toBeUndefined()
  expect(calls).toEqual([['roll', expect.any(String), 2000]])
  expect(versionThere()).toBe('1.1.0')
})

it('upgrade that the runtime rolled back is a failed upgrade, and the application is the former one', async () => {
  outcome = 'rolled-back'
  const { revision } = test.instance('demo')
  await expect(upgradeTo('1.2.0')).rejects.toMatchObject({
    code: 'ERR_ROLLED_BACK',
    message: expect.stringContaining('The swarm put the former tasks of "demo" back: task 7 failed.'),
  })
  expect(calls).toEqual([
    ['roll', expect.any(String), 2000],
    ['unroll', calls[0]?.[1]],
  ])
  expect(versionThere()).toBe('1.1.0')
  expect(test.instance('demo')).toMatchObject({ revision, observed: 'started' })
})

it('rollback of an upgrade without changes of data is one, too', async () => {
  outcome = 'completed'
  calls.length = 0
  await test.perform('rollback', { name: 'demo' })
  expect(calls).toHaveLength(1)
  expect(versionThere()).toBe('1.0.0')
})
