import { loadDriver } from '../../pool/options.js'
import type { OracleConfig } from './config.js'
import { OracleConnection } from './connection.js'
import type { Client, Driver } from './driver.js'
import { translateError } from './errors.js'

/** Gives a function that opens a connection and prepares its session. @throws StoreError */
export function connector(config: OracleConfig, load: () => Promise<Driver>): () => Promise<OracleConnection> {
  return async () => {
    const driver = await load()
    let client: Client | undefined
    try {
      client = await driver.getConnection(config.attributes)
      client.callTimeout = config.pool.acquireTimeoutMs
      const connection = new OracleConnection({ client, driver, statementTimeoutMs: config.statementTimeoutMs })
      for (const sql of config.setUp) await connection.run(sql)
      return connection
    } catch (error) {
      void client?.close().catch(() => undefined)
      throw translateError(error)
    }
  }
}

export async function loadOracledb(): Promise<Driver> {
  // The package has no types of its own.
  const name = 'oracledb'
  const { default: driver } = await loadDriver(name, () => import(name) as Promise<{ readonly default: Driver }>)
  return driver
}
