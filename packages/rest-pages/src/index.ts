export { recordsRouter } from './lib/records-router.js'
export type { RecordsRouterOptions } from './lib/records-router.js'
