import { createTestManager } from '../../testing/create-test-manager.js'
import { runtimeRounds } from '../../testing/hostile-instance/choose.js'
import { testHostileInstance } from '../../testing/hostile-instance/hostile-suite.js'
import { anotherRuntime } from '../../testing/hostile-instance/another-runtime.js'

testHostileInstance({
  make: () =>
    createTestManager({
      config: ['export APPS_RUNTIME=systemd', 'export APPS_ISOLATION=yes', 'export APPS_HEALTHWINDOW=0'],
      runtimes: { another: anotherRuntime },
    }),
  rounds: process.env['TEST_DEEP'] === '1' ? runtimeRounds : runtimeRounds.filter(({ name }) => name !== 'quiet'),
})
