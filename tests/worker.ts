import fc from 'fast-check'
import { afterAll } from 'vitest'
import { cpuOf, noCpu, subtractCpu, type CpuSeconds } from './servers/processes.js'
import { takeServerTimes } from './servers/times.js'

// Runs before each test file. One process may run several.
const key = Symbol.for('steward.tests.measured')
const holder = globalThis as { [key]?: CpuSeconds }

if (holder[key] === undefined) {
  // When the test runner was killed, end too, and with us the servers that we started.
  process.once('disconnect', () => process.exit(1))
  holder[key] = noCpu
}

// What was registered first comes last.
// oxlint-disable-next-line no-empty-pattern -- Vitest wants a pattern
afterAll(({}, file) => {
  const before = holder[key] ?? noCpu
  const now = cpuOf(process.pid)
  holder[key] = now
  Object.assign(file.meta, { cpu: subtractCpu(now, before), servers: takeServerTimes() })
})

// They make hundreds of instances; those that are about accounts ask for them in config.sh.
process.env['APPS_ISOLATION'] ??= 'no'

// The same cases on every run, so that a run proves something about a change; another seed looks further.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_121) })
