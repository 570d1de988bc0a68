export { recordsPages } from './lib/records-pages.js'
export type { RecordsPagesOptions } from './lib/records-pages.js'
