/** @module-tag mixed */
import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['restore', 'recreate', 'prove', 'verify'])
