import { configDefaults, defineConfig } from 'vitest/config'
import LongFilesFirst from './tests/sequencer.js'

/**
 * Tests that leave their process as it was. To start one for each file and to load what it tests takes longer than most
 * of these do: a third of a second of CPU for a file of manager-core.
 */
const together = {
  rest: ['packages/{rest-core,rest-client}/src/**/*.test.ts', 'packages/rest-koa/src/lib/**/*.test.ts'],
  adapters: ['packages/db-adapters/src/**/!(contract.integration).test.ts'],
  server: ['packages/app-server/src/**/*.test.ts'],
  manager: ['packages/{manager-core,manager-cli,manager-server}/src/**/*.test.ts'],
}
/**
 * Tests that make and remove interfaces of the network. A browser ends its requests then (`ERR_NETWORK_CHANGED`), so all
 * others wait for these.
 */
const network = [
  'packages/manager-core/src/lib/runtime/{container-*,swarm/*,systemd/*}.test.ts',
  'tests/{docker-images,servers/docker}.test.ts',
]
const apart = [...network, ...Object.values(together).flat()]
const all = ['packages/**/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'network', include: network, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: all,
          exclude: [...configDefaults.exclude, ...apart],
          sequence: { groupOrder: 1 },
        },
      },
      ...Object.entries(together).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include,
          exclude: [...configDefaults.exclude, ...network],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      })),
    ],
    globalSetup: ['tests/servers/setup.ts'],
    reporters: ['default', './tests/reporter.ts', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : [])],
    setupFiles: ['tests/worker.ts'],
    sequence: { sequencer: LongFilesFirst },
    // Servers that a test starts die with the process that started them, so a file needs a process, not a thread.
    pool: 'forks',
    // On two cores: half of its time a file waits, for a program that starts, a server, a timer.
    maxWorkers: 4,
    // Only what hangs is ended: a machine that is busy with other work is slow, and no test says how fast one must be.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 150_000 } },
    // Other packages are loaded as users load them: built, by Node itself.
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
    coverage: { include: ['packages/*/src/**'] },
  },
})
