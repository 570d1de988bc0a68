import { describe, it } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import { testRuntime } from '../contract/runtime-suite.js'
import { tomcatUnderTest } from './tomcat-for-test.js'

const missing =
  toolIsMissing('tomcat') ??
  (process.env['TEST_DEEP'] === '1' ? undefined : 'npm run test:deep runs it, as it starts Java thirty times')

if (missing !== undefined) it('tomcat runtime', ({ skip }) => skip(missing))
else describe('tomcat runtime', () => testRuntime(tomcatUnderTest))
