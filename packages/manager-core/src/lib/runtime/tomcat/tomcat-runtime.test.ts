import { describe, it } from 'vitest'
import { toolIsMissing } from '../../../../../../tests/servers/index.js'
import { testRuntime } from '../contract/runtime-suite.js'
import { tomcatUnderTest } from './tomcat-for-test.js'

const missing = toolIsMissing('tomcat')

if (missing !== undefined) it('tomcat runtime', ({ skip }) => skip(missing))
else describe('tomcat runtime', () => testRuntime(tomcatUnderTest))
