import { describe, it } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import { managerOfWebapps } from '../../instances/webapps-for-test.js'
import { runtimeRounds } from '../../testing/hostile-instance/choose.js'
import { testHostileInstance } from '../../testing/hostile-instance/hostile-suite.js'
import { canUseAccounts } from '../../testing/reachable-checkout.js'

/** It takes minutes. */
const missing = process.env['TEST_DEEP'] === '1' ? toolIsMissing('tomcat') : 'tried by npm run test:deep only'

if (missing !== undefined) it('a hostile web application', ({ skip }) => skip(missing))
else
  describe.runIf(canUseAccounts(import.meta.url))('a hostile web application', () => {
    testHostileInstance({
      make: () => managerOfWebapps(['export APPS_ISOLATION=yes']),
      rounds: runtimeRounds,
    })
  })
