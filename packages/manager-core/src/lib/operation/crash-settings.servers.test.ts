import { testCrashes } from '../testing/crash-suite.js'

testCrashes(['setstatus', 'protect', 'unprotect', 'autoupdate', 'noautoupdate', 'autosave', 'noautosave'])
testCrashes(['seturl', 'reseturl', 'neutralise', 'unneutralise', 'setting set', 'setting unset'])
