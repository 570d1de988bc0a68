export { target } from './lib/swift/target-type.js'
