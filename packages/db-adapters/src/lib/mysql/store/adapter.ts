import { Client } from '../builder.js'
import { createConnections, standardSavepoint } from '../../knex/connections.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { PooledStore } from '../../pool/store.js'
import { mysqlSchema } from '../schema/dialect.js'
import { createCompiler } from '../../sql/compiler.js'
import { mysqlBulk } from './bulk.js'
import { mysqlConfig, placeOf, setStatementTimeout } from './config.js'
import type { MysqlStoreOptions } from './options.js'
import { mysqlDialect } from './dialect.js'
import { connector } from './connect.js'
import { translateError } from './errors.js'
import { readFacts } from './facts.js'
import { connectTo, prepareSession } from './session.js'

/**
 * A store on MySQL 8 or MariaDB 10.6 and later, by the package `mysql2`, which must be installed beside this one. No I/O
 * is done here; the first call connects, and after a restart of the server the next call connects again.
 *
 * @throws TypeError for options that cannot work
 * @example
 * const store = createMysqlStore({ connection: 'mysql://app:secret@localhost/app', pool: { max: 20 } })
 */
export function createMysqlStore(options: MysqlStoreOptions): SqlStore {
  const config = mysqlConfig(options)
  const compiler = createCompiler(mysqlDialect)
  const { knex, pool, join, cancel } = createConnections(options.knex, config, {
    Client,
    client: 'mysql2',
    name: 'mysql',
    connection: placeOf(config),
    open: connector(config),
    connect: connectTo,
    prepare: (connection) => prepareSession(connection, config),
    savepoint: standardSavepoint,
    translateError,
    learn: { compiler, readFacts },
  })
  return new PooledStore({
    knex,
    capabilities: Object.freeze({
      name: 'mysql',
      persistent: true,
      migrations: true,
      introspection: true,
      concurrentWriters: true,
      aggregation: true,
      indexSearch: true,
      columnDocuments: true,
      likeFoldsUnicode: true,
    }),
    compiler,
    readFacts,
    schema: mysqlSchema,
    schemaSetUp: setStatementTimeout(0),
    statementTimeoutMs: config.statementTimeoutMs,
    bulk: mysqlBulk,
    pool,
    join,
    cancel,
  })
}
