export { createPostgresqlStore } from './lib/postgresql/store/adapter.js'
export type { PostgresqlConnectionOptions, PostgresqlStoreOptions } from './lib/postgresql/store/options.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
