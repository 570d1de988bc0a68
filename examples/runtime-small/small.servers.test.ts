import { readFileSync } from 'node:fs'
import type { RuntimeParts } from '@steward/manager-core'
import { describe, expect, it } from 'vitest'
import { testRuntime } from '../../packages/manager-core/src/lib/runtime/contract/runtime-suite.js'
import { refOf } from '../../packages/manager-core/src/lib/runtime/instance-ref.js'
import { processesUnderTest } from '../../packages/manager-core/src/lib/runtime/processes-for-test.js'
import type { Runtime } from '../../packages/manager-core/src/lib/runtime/runtime.js'
import { createTestManager } from '../../packages/manager-core/src/lib/testing/create-test-manager.js'
import { runtime as plugin } from './src/index.js'

const name = '@steward/example-runtime-small'

/** On processes as they are. */
function make(processes: Runtime): Runtime {
  const settings: RuntimeParts['settings'] = () => {
    throw new Error('It needs none.')
  }
  return plugin.make({ settings, instances: '/srv/apps/instances', named: () => processes })
}

describe('small processes', () =>
  testRuntime(async () => {
    const subject = await processesUnderTest()
    return { ...subject, runtime: make(subject.runtime), another: () => make(subject.another()) }
  }))

it('a manager runs instances with it, by its name', async () => {
  const test = await createTestManager({ config: [`export APPS_RUNTIMES=${name}`] })
  try {
    await test.perform('add', { name: 'demo', runtime: name })
    expect((await test.perform('runtimes')).list).toContainEqual(
      expect.objectContaining({ name, usable: 'yes', runs: 'node', instances: 1 }),
    )
    const { pids } = await test.context.runtimes.observe(refOf(test.context, test.instance('demo')))
    const heaps = new Set(
      pids.map(
        (pid) =>
          /max-old-space-size=(\d+)/.exec(
            readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
          )?.[1],
      ),
    )
    expect([...heaps]).toEqual(['128'])
    await test.perform('move', { name: 'demo', to: 'process' })
    expect(test.instance('demo').runtime).toBe('process')
  } finally {
    await test.close()
  }
})
