export { target } from './lib/local/target-type.js'
export { createLocalTarget, type LocalTargetOptions } from './lib/local/create-local-target.js'
