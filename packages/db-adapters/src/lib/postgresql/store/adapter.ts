import { Client } from '../builder.js'
import { createConnections, standardSavepoint } from '../../knex/connections.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { learning } from '../../pool/learning.js'
import { PooledStore } from '../../pool/store.js'
import { postgresqlSchema } from '../schema/dialect.js'
import { createCompiler } from '../../sql/compiler.js'
import { postgresqlBulk } from './bulk.js'
import { placeOf, postgresqlConfig } from './config.js'
import type { PostgresqlStoreOptions } from './options.js'
import { postgresqlDialect } from './dialect.js'
import { connector } from './connect.js'
import { translateError } from './errors.js'
import { readFacts } from './facts.js'
import { createListeners } from './listeners.js'
import { connectTo, prepareSession } from './session.js'
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
  const { knex, pool, join, open, cancel } = createConnections(options.knex, config, {
    Client,
    client: 'pg',
    name: 'postgresql',
    connection: placeOf(config),
    open: connector(config),
    connect: (raw) => connectTo(raw, config),
    prepare: (connection, isLocal) => prepareSession(connection, config, isLocal),
    savepoint: standardSavepoint,
    translateError,
    learn: { compiler, readFacts },
  })
  // Behind a pooler a session is not the client's: nothing can be asked of it but transactions.
  const hasSessions = config.preparedStatements
  return new PooledStore({
    knex,
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
    pool,
    // The application's own pool says how many connections there are.
    ...(options.knex
      ? {}
      : { readers: new SharedConnections(learning(open, { compiler, readFacts }), config.sharedConnections) }),
    join,
    cancel: hasSessions ? cancel : undefined,
    listeners: hasSessions ? createListeners(open) : undefined,
  })
}
