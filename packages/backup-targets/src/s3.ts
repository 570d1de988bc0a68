export { target } from './lib/s3/target-type.js'
