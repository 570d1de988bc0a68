import { describe } from 'vitest'
import { testRuntime } from '../contract/runtime-suite.js'
import { unitsUnderTest } from './systemd-for-test.js'

describe('systemd runtime', () => testRuntime(unitsUnderTest))
