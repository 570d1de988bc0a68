import type { Reporter, TestModule } from 'vitest/node'

/** Says at the end of a run why tests were skipped, and which ones passed only when they were repeated: a line each. */
export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result()
        const note = result.state === 'skipped' ? result.note : undefined
        if (note) counts.set(`${test.name}: ${note}`, (counts.get(`${test.name}: ${note}`) ?? 0) + 1)
        if (test.diagnostic()?.flaky) process.stderr.write(`Passed only when repeated: ${test.fullName}\n`)
      }
    }
    for (const [reason, count] of counts) process.stderr.write(`Skipped (${count}) ${reason}\n`)
  }
}
