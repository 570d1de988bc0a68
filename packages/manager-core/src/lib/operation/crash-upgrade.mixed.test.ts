/** @module-tag mixed */
import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['upgrade', 'rehearse', 'rollback', 'setversion'])
