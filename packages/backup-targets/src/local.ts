export { target } from './lib/local/target.js'
