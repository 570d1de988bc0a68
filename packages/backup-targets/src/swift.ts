export { target } from './lib/swift/target.js'
