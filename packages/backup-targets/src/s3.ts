export { target } from './lib/s3/target.js'
