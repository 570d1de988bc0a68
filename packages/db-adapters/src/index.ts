export { createStore } from './lib/create-store.js'
export type { ClientStoreOptions, KnexStoreOptions, StoreOptions } from './lib/create-store.js'
export type { KnexInstance } from './lib/knex/instance.js'
export { sqlScript } from './lib/schema/sql-script.js'
