/** @module-tag mixed */
import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['add', 'clone', 'rename', 'move', 'reset', 'delete', 'undelete', 'purge'])
