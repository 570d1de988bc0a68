import { defineConfig } from 'vitest/config'
import LongFilesFirst from './tests/sequencer.js'

export default defineConfig({
  test: {
    include: ['packages/**/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/servers/setup.ts'],
    reporters: ['default', './tests/reporter.ts', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : [])],
    setupFiles: ['tests/worker.ts'],
    sequence: { sequencer: LongFilesFirst },
    // Servers that a test starts die with the process that started them, so a file needs a process, not a thread.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    // Tests of real servers that are cut off or killed meet machines that are busy; what needed a repetition is printed.
    retry: process.env.CI ? 1 : 0,
    // Other packages are loaded as users load them: built, by Node itself.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    coverage: { include: ['packages/*/src/**'] },
  },
})
