export { testBackupTarget } from './lib/testing/target-suite.js'
export type { TargetFixture } from './lib/testing/target-suite.js'
export {
  corrupting,
  cutting,
  deaf,
  endingEarly,
  failing,
  listLag,
  overwriting,
  silent,
  slow,
  trusting,
  visible,
  wrongSize,
} from './lib/testing/faulty.js'
