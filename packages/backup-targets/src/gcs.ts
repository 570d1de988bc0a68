export { target } from './lib/gcs/target.js'
