export { testBackupTarget } from './lib/testing/target-suite.js'
export type { TargetFixture } from './lib/testing/target-suite.js'
