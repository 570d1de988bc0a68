import { globSync, writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import type { Tier } from './tiers.js'
import { startMeasuring, tableOf, timesOf, type Measurement } from './times.js'

/** What runs the tests of each tier. */
const commands: Readonly<Record<Tier, string>> = {
  quick: 'npm test',
  servers: 'npm run test:servers',
  deep: 'npm run test:deep',
}

/**
 * Says what fails when it fails, as a run may be interrupted; at its end why tests were skipped, what took longest, and
 * once more what failed: of a long log, people see the end. `STEWARD_TEST_TIMES=<file>` keeps all times as JSON.
 */
export default class TestReporter implements Reporter {
  #measurement: Measurement | undefined
  #tier: Tier | undefined

  onInit(vitest: Vitest): void {
    this.#tier = vitest.config.provide.tier
  }

  onTestRunStart(): void {
    this.#measurement ??= startMeasuring()
  }

  onTestCaseResult(test: TestCase): void {
    for (const line of failuresOfTest(test)) process.stderr.write(`${line}\n`)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = new Map<string, number>()
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const result = test.result()
      const note = result.state === 'skipped' ? result.note : undefined
      if (note) counts.set(note, (counts.get(note) ?? 0) + 1)
    }
    for (const [reason, count] of counts) process.stderr.write(`Skipped (${count}) ${reason}\n`)
    this.#tellTier(modules)
    this.#tellTimes(modules)
    for (const line of failuresOf(modules, unhandledErrors)) process.stderr.write(`${line}\n`)
  }

  #tellTier(modules: readonly TestModule[]): void {
    if (!this.#tier) return
    const all = globSync('{packages/*/src,examples,tests}/**/*.test.ts', { exclude: (name) => name === 'node_modules' })
    const { [this.#tier]: _own, ...others } = commands
    const text = `${modules.length} of ${all.length} files; ${Object.values(others).join(' and ')} run the others.`
    process.stdout.write(`Tier "${this.#tier}": ${text}\n`)
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

/** A line each; the whole errors are further up in the log. */
function failuresOf(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): readonly string[] {
  return [
    ...modules.flatMap((module) => [
      ...[module, ...module.children.allSuites()].flatMap((each) =>
        each.errors().map((error) => `Failed: ${module.relativeModuleId}: ${textOf(error)}`),
      ),
      ...[...module.children.allTests('failed')].flatMap(failuresOfTest),
    ]),
    ...unhandledErrors.map((error) => `Failed: Unhandled: ${textOf(error)}`),
  ]
}

function failuresOfTest(test: TestCase): readonly string[] {
  const { state, errors } = test.result()
  if (state !== 'failed') return []
  return errors.map((error) => `Failed: ${test.module.relativeModuleId} > ${test.fullName}: ${textOf(error)}`)
}

function textOf({ message, stack }: { readonly message: string; readonly stack?: string }): string {
  const place = stack?.split('\n').find((line) => /^\s+at |^ *❯ /.test(line))
  return `${message.slice(0, 500)}${place ? ` (${place.trim()})` : ''}`
}
