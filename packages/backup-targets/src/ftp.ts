export { target } from './lib/ftp/target.js'
