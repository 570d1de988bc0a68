/** @module-tag mixed */
import { describe } from 'vitest'
import { testRuntime } from './contract/runtime-suite.js'
import { processesUnderTest } from './processes-for-test.js'

describe('process runtime', () => testRuntime(processesUnderTest))
