import type { TestMachines } from '../../../../../../tests/servers/index.js'
import type { RuntimeUnderTest } from '../contract/runtime-under-test.js'
import { processesUnderTest } from '../processes-for-test.js'
import type { Runtime } from '../runtime.js'
import { createSwarmRuntime, type SwarmRuntimeOptions } from './create-swarm-runtime.js'
import { initSwarm } from './init.js'

export interface SwarmUnderTest extends RuntimeUnderTest {
  readonly folder: string
  another(options?: Partial<SwarmRuntimeOptions>): Runtime
}

/** The runtime on the first of these machines, which makes a swarm for it. */
export async function swarmUnderTest(
  { nodes: [first] }: TestMachines,
  options: Partial<SwarmRuntimeOptions> = {},
): Promise<SwarmUnderTest> {
  if (!first) throw new Error('It needs a machine.')
  const processes = await processesUnderTest()
  const { socket } = first.docker
  const make = (more: Partial<SwarmRuntimeOptions> = {}) =>
    createSwarmRuntime({
      socket,
      instances: processes.folder,
      processes: processes.another(),
      restart: { pauses: [0.02], steadySeconds: 60, limit: 3 },
      graceMs: 3000,
      ...options,
      ...more,
    })
  await initSwarm({ socket, instances: processes.folder }, { advertise: first.address })
  return { ...processes, runtime: make(), another: make }
}
