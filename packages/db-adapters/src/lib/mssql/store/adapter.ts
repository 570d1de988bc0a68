import { Client } from '../builder.js'
import { createOwnInstance } from '../../knex/own-instance.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { ConnectionPool } from '../../pool/pool.js'
import { PooledStore } from '../../pool/store.js'
import { createCompiler } from '../../sql/compiler.js'
import { mssqlSchema } from '../schema/dialect.js'
import { mssqlBulk } from './bulk.js'
import { mssqlConfig } from './config.js'
import type { MssqlStoreOptions } from './options.js'
import { connector } from './connect.js'
import { mssqlDialect } from './dialect.js'
import { isMssqlClient, join } from './foreign.js'

/**
 * A store on SQL Server 2017 or later, or Azure SQL, by the package `tedious`, which must be installed beside this one. No
 * I/O is done here; the first call connects, and after a restart of the server the next call connects again.
 *
 * @throws TypeError for options that cannot work
 * @example
 * const store = createMssqlStore({ connection: 'mssql://app:secret@localhost/app?trustServerCertificate=true' })
 */
export function createMssqlStore(options: MssqlStoreOptions): SqlStore {
  const config = mssqlConfig(options)
  const open = connector(config)
  return new PooledStore({
    knex: createOwnInstance({ Client, client: 'mssql', connection: {}, open: open, pool: config.pool }),
    capabilities: Object.freeze({
      name: 'mssql',
      persistent: true,
      migrations: true,
      introspection: true,
      concurrentWriters: true,
      aggregation: true,
      indexSearch: true,
      likeFoldsUnicode: false,
      columnDocuments: true,
    }),
    compiler: createCompiler(mssqlDialect),
    schema: mssqlSchema,
    schemaSetUp: 'set lock_timeout -1',
    statementTimeoutMs: config.statementTimeoutMs,
    bulk: mssqlBulk,
    pool: new ConnectionPool(open, config.pool),
    cancel: async (connection) => connection.cancel(),
    join: (client) => (isMssqlClient(client) ? () => join(client, config) : undefined),
  })
}
