import { configDefaults, defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config'
import LongFilesFirst from './sequencer.js'

/**
 * Which tests run: `npm test`, `npm run test:servers` or `npm run test:deep`. A test belongs to one of them by the name of
 * its file: `x.test.ts` is quick, `x.servers.test.ts` and `x.deep.test.ts` are of their tier. Of `x.mixed.test.ts`, which has
 * `@module-tag mixed`, the cases with the tag `core` are quick, the others of `servers`; where these continue with what the
 * quick ones left, or the quick ones try only a part there (`@module-tag continued`), they are of both. `package.json` has the filters.
 */
export type Tier = 'quick' | 'servers' | 'deep'

declare module 'vitest' {
  interface ProvidedContext {
    tier: Tier
  }
  interface TestTags {
    tags: 'core' | 'mixed' | 'continued'
  }
}

/** Files of other tiers. */
const filesWithout: Readonly<Record<Exclude<Tier, 'deep'>, string>> = {
  quick: '**/*.{servers,deep}.test.ts',
  servers: '**/!(*.servers|*.mixed).test.ts',
}
/** Names of files without their tier: `x` stands for `x.test.ts`, `x.servers.test.ts` and so on. */
export const tests = (...names: string[]) => names.map((name) => `${name}{,.mixed,.servers,.deep}.test.ts`)

/**
 * Tests that leave their process as it was. To start one for each file and to load what it tests takes longer than most
 * of these do: a third of a second of CPU for a file of manager-core. A test that replaces a module (`vi.mock`) is not
 * among them: here the module may be loaded already.
 */
const together = {
  rest: ['packages/{rest-core,rest-client}/src/**/*.test.ts', 'packages/rest-koa/src/lib/**/*.test.ts'],
  adapters: ['packages/db-adapters/src/**/!(contract.*).test.ts'],
  server: ['packages/app-server/src/**/*.test.ts'],
  parts: [
    'packages/{page-kit,rest-pages,backup-targets}/src/**/!(use-live-rows).test.ts',
    'packages/rest-koa/src/tester/**/*.test.ts',
  ],
  manager: ['packages/{manager-core,manager-cli,manager-server}/src/**/!(connect-to-owner).test.ts'],
}
/** Tests that make and remove interfaces of the network: a browser ends its requests then (`ERR_NETWORK_CHANGED`). */
const network = tests(
  'packages/manager-core/src/lib/runtime/{container-*,swarm/*,systemd/*}',
  'tests/{docker-images,servers/docker}',
)
/** Tests with a browser, which run after those of the network; `needsBrowser()` refuses files that are not listed. */
const pages = {
  alone: tests('tests/{records-*,rest-client-in-pages,tester,website}', 'examples/{browser-client,manager-api}/*'),
  together: tests(
    'packages/app-server/src/lib/start-page',
    'packages/manager-server/src/ui-*',
    'packages/manager-server/src/lib/{access/guard-browser,metrics/metrics-router,pages/pages-router,portal-attack}',
    'packages/manager-server/src/lib/{register/register,terminal/terminal}',
  ),
}
const late = [...network, ...pages.alone, ...pages.together]
const all = ['packages/**/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts']

function projectsOf(tier: Exclude<Tier, 'deep'>): TestProjectInlineConfiguration[] {
  const project = (
    name: string,
    include: string[],
    { without = [], isolate = true, order = 0 }: { without?: string[]; isolate?: boolean; order?: number } = {},
  ): TestProjectInlineConfiguration => ({
    extends: true,
    test: {
      name,
      include,
      exclude: [...configDefaults.exclude, filesWithout[tier], ...without],
      isolate,
      sequence: { groupOrder: order },
      provide: { besideNetworkTests: order === 0 },
    },
  })
  return [
    project('network', network),
    project('alone', all, { without: [...late, ...Object.values(together).flat()] }),
    ...Object.entries(together).map(([name, include]) => project(name, include, { without: late, isolate: false })),
    project('pages', pages.together, { isolate: false, order: 1 }),
    project('pages alone', pages.alone, { order: 1 }),
  ]
}

/** @param only files that are run, in a process each; the other tiers have all of theirs, by projects */
export function configFor(...[tier, only]: [Exclude<Tier, 'deep'>] | ['deep', readonly string[]]): ViteUserConfig {
  return defineConfig({
    test: {
      ...(tier === 'deep' ? { include: [...only] } : { projects: projectsOf(tier) }),
      tags: [
        { name: 'mixed', description: 'Of a file some of whose cases are quick.' },
        { name: 'core', description: 'What is quick in such a file.' },
        {
          name: 'continued',
          description:
            'Of a file whose cases continue with what others left, or try more in the second tier: they run twice.',
        },
      ],
      globalSetup: ['tests/servers/setup.ts'],
      reporters: ['default', './tests/reporter.ts', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : [])],
      setupFiles: ['tests/worker.ts'],
      provide: { tier },
      ...(tier === 'deep' && { env: { TEST_DEEP: '1' } }),
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
}
