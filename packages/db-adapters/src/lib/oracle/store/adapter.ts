import { Client } from '../builder.js'
import { createConnections } from '../../knex/connections.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { PooledStore } from '../../pool/store.js'
import { createCompiler } from '../../sql/compiler.js'
import { createOracleSchema } from '../schema/dialect.js'
import { oracleBulk } from './bulk.js'
import { oracleConfig, placeOf, type OracleStoreOptions } from './config.js'
import { connector, loadOracledb } from './connect.js'
import { createOracleDialect } from './dialect.js'
import type { Driver } from './driver.js'
import { translateError } from './errors.js'
import { connectTo, prepareSession } from './session.js'

/**
 * A store on Oracle 19c or later, by the package `oracledb` in its thin mode, which must be installed beside this one. No
 * I/O is done here; the first call connects, and after a restart of the server the next call connects again.
 *
 * @throws TypeError for options that cannot work
 * @example
 * const store = createOracleStore({ connection: 'oracle://app:secret@localhost:1521/FREEPDB1', pool: { max: 20 } })
 */
export function createOracleStore(options: OracleStoreOptions): SqlStore {
  return openOracleStore(options)
}

/** @param load the driver; by default the package */
export function openOracleStore(options: OracleStoreOptions, load: () => Promise<Driver> = loadOracledb): SqlStore {
  const config = oracleConfig(options)
  let driver: Driver | undefined
  const loadOnce = async (): Promise<Driver> => (driver ??= await load())
  const { knex, pool, join, open } = createConnections(options.knex, config, {
    Client,
    client: 'oracledb',
    name: 'oracle',
    connection: placeOf(config),
    open: connector(config, loadOnce),
    connect: async (raw) => connectTo(raw, await loadOnce(), config),
    prepare: prepareSession,
    savepoint: { set: 'savepoint steward', undo: 'rollback to savepoint steward' },
    translateError,
    driver: () => driver,
    // The oldest that the store knows; knex would read it from the connection.
    version: '19.0',
  })
  return new PooledStore({
    knex,
    capabilities: Object.freeze({
      name: 'oracle',
      persistent: true,
      migrations: true,
      introspection: true,
      concurrentWriters: true,
      aggregation: true,
      indexSearch: true,
      likeFoldsUnicode: true,
      columnDocuments: true,
    }),
    compiler: createCompiler(createOracleDialect(config.lockSeconds)),
    schema: createOracleSchema(open),
    schemaSetUp: 'alter session set ddl_lock_timeout = 60',
    statementTimeoutMs: config.statementTimeoutMs,
    bulk: oracleBulk,
    ping: 'select 1 from dual',
    pool,
    join,
    cancel: (connection) => connection.cancel(),
  })
}
