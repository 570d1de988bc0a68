import { afterAll, beforeAll, describe } from 'vitest'
import { machinesAreMissing, startMachines, type TestMachines } from '../../../../../../tests/servers/index.js'
import { testRuntime } from '../contract/runtime-suite.js'
import { swarmUnderTest } from './swarm-for-test.js'

const missing =
  machinesAreMissing() ??
  (process.env['TEST_DEEP'] === '1' ? undefined : 'npm run test:deep runs it, as it starts thirty services')

describe.skipIf(missing !== undefined)(`swarm runtime of one node ${missing ?? ''}`, () => {
  let machines: TestMachines

  beforeAll(async () => {
    machines = await startMachines(1)
  })
  afterAll(() => machines?.close())

  testRuntime(() => swarmUnderTest(machines))
})
