export { createPostgresqlStore } from './lib/postgresql/adapter.js'
export type { PostgresqlConnectionOptions, PostgresqlStoreOptions } from './lib/postgresql/config.js'
export type { PoolOptions, ServerStoreOptions } from './lib/pool/options.js'
