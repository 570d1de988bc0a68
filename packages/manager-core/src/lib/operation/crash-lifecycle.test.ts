import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['rename', 'reset', 'delete', 'undelete', 'purge', 'save', 'restore'])
