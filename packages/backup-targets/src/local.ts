export { target } from './lib/local/target-type.js'
