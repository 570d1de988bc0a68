import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { startMeasuring, tableOf, timesOf, type Measurement } from './times.js'

/** Says at the end of a run why tests were skipped and what took longest; `STEWARD_TEST_TIMES=<file>` keeps all times as JSON. */
export default class TestReporter implements Reporter {
  #measurement: Measurement | undefined

  onTestRunStart(): void {
    this.#measurement ??= startMeasuring()
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result()
        const note = result.state === 'skipped' ? result.note : undefined
        if (note) counts.set(`${test.name}: ${note}`, (counts.get(`${test.name}: ${note}`) ?? 0) + 1)
      }
    }
    for (const [reason, count] of counts) process.stderr.write(`Skipped (${count}) ${reason}\n`)
    this.#tellTimes(modules)
  }

  #tellTimes(modules: readonly TestModule[]): void {
    if (!this.#measurement) return
    const times = timesOf(modules, this.#measurement)
    this.#measurement = undefined
    const file = process.env['STEWARD_TEST_TIMES']
    if (file) writeFileSync(file, `${JSON.stringify(times, undefined, 2)}\n`)
    if (modules.length > 1) process.stdout.write(`${tableOf(times)}\n`)
  }
}
