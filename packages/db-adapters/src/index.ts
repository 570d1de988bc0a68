export { createStore } from './lib/create-store.js'
export type { KnexStoreOptions, StoreOptions } from './lib/create-store.js'
export { sqlScript } from './lib/schema/sql-script.js'
export type { SqlStore } from './lib/knex/sql-store.js'
