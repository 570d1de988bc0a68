import fc from 'fast-check'
import { afterAll } from 'vitest'
import { cpuOf, noCpu, subtractCpu, type CpuSeconds } from './servers/processes.js'
import { takeServerTimes } from './servers/times.js'

// Runs before each test file. One process may run several.
const key = Symbol.for('steward.tests.worker')
const holder = globalThis as { [key]?: { measured: CpuSeconds; readonly environment: NodeJS.ProcessEnv } }

if (holder[key] === undefined) {
  // When the test runner was killed, end too, and with us the servers that we started.
  process.once('disconnect', () => process.exit(1))
  holder[key] = { measured: noCpu, environment: process.env }
}
const worker = holder[key]

// What was registered first comes last.
// oxlint-disable-next-line no-empty-pattern -- Vitest wants a pattern
afterAll(({}, file) => {
  const now = cpuOf(process.pid)
  Object.assign(file.meta, { cpu: subtractCpu(now, worker.measured), servers: takeServerTimes() })
  worker.measured = now
  // Node does not read the time zone from another object, so later files of this process could not change it.
  if (process.env !== worker.environment) throw new Error('process.env was replaced; use vi.stubEnv().')
})

// They make hundreds of instances; those that are about accounts ask for them in config.sh.
process.env['APPS_ISOLATION'] ??= 'no'

// The same cases on every run, so that a run proves something about a change; another seed looks further.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_121) })
