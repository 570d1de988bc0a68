export { target } from './lib/scp/target.js'
