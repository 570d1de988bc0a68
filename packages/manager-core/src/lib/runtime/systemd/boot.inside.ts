import { expect, it } from 'vitest'
import { ask } from '../contract/runtime-under-test.js'
import { unitsUnderTest } from './systemd-for-test.js'
import { takeTestPort } from '../../testing/take-ports.js'

it('leaves two instances behind, of which one runs, for a boot of the machine', async () => {
  const { runtime, spec } = await unitsUnderTest({}, { base: '/srv', prefix: 'boot-' })
  for (const label of ['runs', 'stopped']) {
    const instance = await spec(label, await takeTestPort(), {})
    await runtime.start(instance)
    await expect.poll(() => ask(instance, '/id')).toBeDefined()
    if (label === 'stopped') await runtime.stop(instance, { graceMs: 10_000 })
  }
})
