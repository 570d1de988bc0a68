import { Client } from '../builder.js'
import { createOwnInstance } from '../../knex/own-instance.js'
import type { SqlStore } from '../../knex/sql-store.js'
import { ForeignPool, type Borrowed } from '../../pool/foreign-pool.js'
import { ConnectionPool } from '../../pool/pool.js'
import { PooledStore } from '../../pool/store.js'
import { createCompiler } from '../../sql/compiler.js'
import { createOracleSchema } from '../schema/dialect.js'
import { oracleBulk } from './bulk.js'
import { oracleConfig, type OracleStoreOptions } from './config.js'
import { isOracleClient } from './clients.js'
import { connector, loadOracledb } from './connect.js'
import type { OracleConnection } from './connection.js'
import { createOracleDialect } from './dialect.js'
import type { Driver } from './driver.js'
import { borrow, join } from './foreign.js'

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
  const { foreign } = config
  const own = connector(config, load)
  let loading: Promise<Driver> | undefined
  const driver = (): Promise<Driver> => (loading ??= load())
  const borrowed = foreign && (async () => borrow(foreign, await driver(), config))
  return new PooledStore({
    knex: createOwnInstance({ Client, client: 'oracledb', connection: {}, open: own, pool: config.pool }),
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
    schema: createOracleSchema(borrowed ? () => alone(borrowed) : own),
    schemaSetUp: 'alter session set ddl_lock_timeout = 60',
    statementTimeoutMs: config.statementTimeoutMs,
    bulk: oracleBulk,
    ping: 'select 1 from dual',
    pool:
      borrowed && foreign
        ? new ForeignPool(borrowed, config.pool.acquireTimeoutMs, foreign.poolMax)
        : new ConnectionPool(own, config.pool),
    cancel: (connection) => connection.cancel(),
    join: (client) => (isOracleClient(client) ? async () => join(client, await driver(), config) : undefined),
  })
}

/** A second connection of the application's pool, for the lock of a sync. */
async function alone(borrowed: () => Promise<Borrowed<OracleConnection>>) {
  const { connection, giveBack } = await borrowed()
  return {
    rows: connection.rows.bind(connection),
    run: connection.run.bind(connection),
    async close() {
      // It reports by itself when it is lost.
      await connection.rollback().catch(() => undefined)
      await giveBack()
    },
  }
}
