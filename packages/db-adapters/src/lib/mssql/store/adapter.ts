import { Client } from '../builder.js'
import { createConnections } from '../../knex/connections.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { PooledStore } from '../../pool/store.js'
import { createCompiler } from '../../sql/compiler.js'
import { mssqlSchema } from '../schema/dialect.js'
import { mssqlBulk } from './bulk.js'
import { mssqlConfig, placeOf } from './config.js'
import type { MssqlStoreOptions } from './options.js'
import { connector, loadTedious, type Tedious } from './connect.js'
import { mssqlDialect } from './dialect.js'
import { translateError } from './errors.js'
import { connectTo, prepareSession } from './session.js'

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
  let driver: Tedious | undefined
  const load = async (): Promise<Tedious> => (driver ??= await loadTedious())
  const { knex, pool, join } = createConnections(options.knex, config, {
    Client,
    client: 'mssql',
    name: 'mssql',
    connection: placeOf(config),
    open: connector(config, load),
    connect: async (raw) => connectTo(raw, await load(), config),
    prepare: (connection) => prepareSession(connection, config),
    savepoint: {
      set: 'save transaction steward',
      undo: 'if @@trancount > 0 rollback transaction steward',
    },
    translateError,
    driver: () => driver,
  })
  return new PooledStore({
    knex,
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
    pool,
    join,
    cancel: async (connection) => connection.cancel(),
  })
}
