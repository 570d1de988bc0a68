import { Client } from '../builder.js'
import { createOwnInstance } from '../../knex/own-instance.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { createCanceller } from '../../pool/canceller.js'
import { learning, learningForeignPool } from '../../pool/learning.js'
import { ConnectionPool } from '../../pool/pool.js'
import { PooledStore } from '../../pool/store.js'
import { postgresqlSchema } from '../schema/dialect.js'
import { createCompiler } from '../../sql/compiler.js'
import { postgresqlBulk } from './bulk.js'
import { postgresqlConfig } from './config.js'
import type { PostgresqlStoreOptions } from './options.js'
import { postgresqlDialect } from './dialect.js'
import { connector } from './connect.js'
import { readFacts } from './facts.js'
import { borrow, join } from './foreign.js'
import { createListeners } from './listeners.js'
import { isPostgresqlClient, sizeOfPool } from './pools.js'
import { SharedConnections } from './shared-connections.js'

/**
 * A store on PostgreSQL 13 or later, by the package `pg`, which must be installed beside this one. No I/O is done here;
 * the first call connects, and after a restart of the server the next call connects again.
 *
 * @throws TypeError for options that cannot work
 * @example
 * const store = createPostgresqlStore({ connection: 'postgresql://app@localhost/app', pool: { max: 20 } })
 */
export function createPostgresqlStore(options: PostgresqlStoreOptions): SqlStore {
  const config = postgresqlConfig(options)
  const compiler = createCompiler(postgresqlDialect)
  const open = connector(config)
  const openAndLearn = learning(open, (connection) => connection, compiler, readFacts)
  const ours = learningForeignPool(config, { borrow, sizeOfPool, compiler, readFacts })
  // Behind a pooler a session is not the client's: nothing can be asked of it but transactions.
  const hasSessions = config.preparedStatements && !ours
  return new PooledStore({
    knex: createOwnInstance({ Client, client: 'pg', connection: {}, open: open, pool: config.pool }),
    capabilities: Object.freeze({
      name: 'postgresql',
      persistent: true,
      migrations: true,
      introspection: true,
      concurrentWriters: true,
      aggregation: true,
      indexSearch: true,
      columnDocuments: true,
      likeFoldsUnicode: false,
    }),
    compiler,
    readFacts,
    schema: postgresqlSchema,
    schemaSetUp: 'set statement_timeout = 0',
    statementTimeoutMs: config.statementTimeoutMs,
    bulk: postgresqlBulk,
    pool: ours ?? new ConnectionPool(openAndLearn, config.pool),
    readers: ours ?? new SharedConnections(openAndLearn, config.sharedConnections),
    join: (client) => (isPostgresqlClient(client) ? () => join(client, config) : undefined),
    cancel: hasSessions
      ? createCanceller(open, ({ processId }) => `select pg_cancel_backend(${processId})`)
      : undefined,
    listeners: hasSessions ? createListeners(open) : undefined,
  })
}
