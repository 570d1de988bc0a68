export { testBackupTarget } from './lib/testing/target-suite.js'
export type { TargetFixture } from './lib/testing/target-suite.js'
export {
  blending,
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
  untidy,
  visible,
  wrongHash,
  wrongSize,
} from './lib/testing/faulty.js'
