export { target } from './lib/gcs/target-type.js'
