export { createOracleStore } from './lib/oracle/store/adapter.js'
export type { OracleConnectionOptions, OracleStoreOptions } from './lib/oracle/store/config.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
