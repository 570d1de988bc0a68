import { ChildProcess, type SpawnOptions } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  cacheSources()
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

/** A program that Node runs from its source starts twice as fast when it is compiled already. */
function cacheSources(): void {
  const variable = `NODE_COMPILE_CACHE=${join(tmpdir(), 'compile-cache')}`
  const programs = ChildProcess.prototype as unknown as {
    spawn(options: SpawnOptions & { readonly args?: readonly string[]; envPairs: string[] }): number
  }
  const { spawn } = programs
  programs.spawn = function (options) {
    if (options.args?.some((each) => each.endsWith('.worker.ts'))) options.envPairs.push(variable)
    return spawn.call(this, options)
  }
}
