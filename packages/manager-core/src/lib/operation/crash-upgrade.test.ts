import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['upgrade', 'rollback', 'setversion'])
