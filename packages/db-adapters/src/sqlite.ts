export { createSqliteStore } from './lib/sqlite/adapter.js'
export type { SqliteStoreOptions } from './lib/sqlite/config.js'
