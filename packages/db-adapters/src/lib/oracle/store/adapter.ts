import type { ObjectStore } from '@steward/rest-core'
import { ConnectionPool } from '../../pool/pool.js'
import { PooledStore } from '../../pool/store.js'
import { createCompiler } from '../../sql/compiler.js'
import { createOracleSchema } from '../schema/dialect.js'
import { oracleBulk } from './bulk.js'
import { oracleConfig, type OracleStoreOptions } from './config.js'
import { connector } from './connect.js'
import { createOracleDialect } from './dialect.js'
import type { Driver } from './driver.js'

/**
 * A store on Oracle 19c or later, by the package `oracledb` in its thin mode, which must be installed beside this one. No
 * I/O is done here; the first call connects, and after a restart of the server the next call connects again.
 *
 * @throws TypeError for options that cannot work
 * @example
 * const store = createOracleStore({ connection: 'oracle://app:secret@localhost:1521/FREEPDB1', pool: { max: 20 } })
 */
export function createOracleStore(options: OracleStoreOptions): ObjectStore {
  return openOracleStore(options)
}

/** @param load the driver; by default the package */
export function openOracleStore(options: OracleStoreOptions, load?: () => Promise<Driver>): ObjectStore {
  const config = oracleConfig(options)
  const open = connector(config, load)
  return new PooledStore({
    capabilities: Object.freeze({
      name: 'oracle',
      persistent: true,
      migrations: true,
      introspection: true,
      concurrentWriters: true,
      aggregation: true,
      indexSearch: true,
      likeFoldsUnicode: true,
    }),
    compiler: createCompiler(createOracleDialect(config.lockSeconds)),
    schema: createOracleSchema(open),
    schemaSetUp: 'alter session set ddl_lock_timeout = 60',
    bulk: oracleBulk,
    ping: 'select 1 from dual',
    pool: new ConnectionPool(open, config.pool),
    cancel: (connection) => connection.cancel(),
  })
}
