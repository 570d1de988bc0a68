import { afterAll, beforeAll, describe, it } from 'vitest'
import { dockerIsMissing, startDocker, type TestDocker } from '../../../../../tests/servers/index.js'
import { createTestManager } from '../testing/create-test-manager.js'
import { runtimeRounds } from '../testing/hostile-instance/choose.js'
import { testHostileInstance } from '../testing/hostile-instance/hostile-suite.js'
import { canUseAccounts } from '../testing/reachable-checkout.js'
import { anotherRuntime } from '../testing/hostile-instance/another-runtime.js'

/** It takes minutes. */
const missing = process.env['TEST_DEEP'] === '1' ? dockerIsMissing() : 'tried by npm run test:deep only'

if (missing !== undefined) it('a hostile instance in a container', ({ skip }) => skip(missing))
else
  describe.runIf(canUseAccounts(import.meta.url))('a hostile instance in a container', () => {
    let docker: TestDocker
    beforeAll(async () => {
      docker = await startDocker()
    })
    afterAll(() => docker?.close())

    testHostileInstance({
      make: () =>
        createTestManager({
          config: [
            'export APPS_RUNTIME=container',
            `export APPS_CONTAINER_SOCKET=${docker.socket}`,
            'export APPS_ISOLATION=yes',
            'export APPS_HEALTHWINDOW=0',
          ],
          runtimes: { another: anotherRuntime },
        }),
      rounds: runtimeRounds,
    })
  })
