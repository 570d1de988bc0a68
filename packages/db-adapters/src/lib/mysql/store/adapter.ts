import { Client } from '../builder.js'
import { createOwnInstance } from '../../knex/own-instance.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { createCanceller } from '../../pool/canceller.js'
import { learning, learningForeignPool } from '../../pool/learning.js'
import { ConnectionPool } from '../../pool/pool.js'
import { PooledStore } from '../../pool/store.js'
import { mysqlSchema } from '../schema/dialect.js'
import { createCompiler } from '../../sql/compiler.js'
import { mysqlBulk } from './bulk.js'
import { mysqlConfig, setStatementTimeout } from './config.js'
import type { MysqlStoreOptions } from './options.js'
import { mysqlDialect } from './dialect.js'
import { connector } from './connect.js'
import { borrow, join } from './foreign.js'
import { isMysqlClient, sizeOfPool } from './pools.js'
import { readFacts } from './facts.js'

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
  const open = connector(config)
  const ours = learningForeignPool(config, { borrow, sizeOfPool, compiler, readFacts })
  return new PooledStore({
    knex: createOwnInstance({ Client, client: 'mysql2', connection: {}, open: open, pool: config.pool }),
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
    pool:
      ours ??
      new ConnectionPool(
        learning(open, (connection) => connection, compiler, readFacts),
        config.pool,
      ),
    cancel: ours ? undefined : createCanceller(open, ({ threadId }) => `kill query ${threadId}`),
    join: (client) => (isMysqlClient(client) ? () => join(client, config) : undefined),
  })
}
