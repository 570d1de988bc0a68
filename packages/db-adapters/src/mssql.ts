export { createMssqlStore } from './lib/mssql/store/adapter.js'
export type { MssqlConnectionOptions, MssqlStoreOptions } from './lib/mssql/store/options.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
