import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['add', 'clone', 'rename', 'reset', 'delete', 'undelete', 'purge'])
