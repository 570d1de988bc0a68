export { createSqliteStore } from './lib/sqlite/store/adapter.js'
export type { SqliteStoreOptions } from './lib/sqlite/store/config.js'
