export { createMysqlStore } from './lib/mysql/store/adapter.js'
export type { MysqlConnectionOptions, MysqlStoreOptions } from './lib/mysql/store/options.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
