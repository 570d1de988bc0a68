import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['add', 'clone', 'recreate', 'upgrade', 'setversion'])
