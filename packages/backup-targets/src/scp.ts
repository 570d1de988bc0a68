export { target } from './lib/scp/target-type.js'
