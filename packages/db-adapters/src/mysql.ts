export { createMysqlStore } from './lib/mysql/adapter.js'
export type { MysqlConnectionOptions, MysqlStoreOptions } from './lib/mysql/config.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
