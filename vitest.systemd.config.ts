import { defineConfig } from 'vitest/config'

/** For the tests that run in a machine that systemd runs, see `systemd.test.ts`. */
export default defineConfig({
  cacheDir: '/tmp/vitest',
  test: {
    include: ['packages/manager-core/src/lib/runtime/systemd/*.inside.ts'],
    pool: 'forks',
    // Programs that make accounts refuse to do it at the same time.
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    server: { deps: { external: [/\/dist\/.*\.js$/] } },
  },
})
