export { target } from './lib/ftp/target-type.js'
