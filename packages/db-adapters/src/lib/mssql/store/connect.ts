import type { Connection as Client } from 'tedious'
import { loadDriver } from '../../pool/options.js'
import type { MssqlConfig } from './config.js'
import { MssqlConnection } from './connection.js'
import { translateError } from './errors.js'

/** Gives a function that opens a connection and prepares its session. @throws StoreError */
export function connector(config: MssqlConfig, load: () => Promise<Tedious>): () => Promise<MssqlConnection> {
  return async () => {
    const driver = await load()
    let client: Client | undefined
    let limit: NodeJS.Timeout | undefined
    try {
      const opened = new driver.Connection(config.client)
      client = opened
      await connected(opened)
      const connection = new MssqlConnection({ driver, client: opened, statementTimeoutMs: config.statementTimeoutMs })
      // The driver has a limit for its greeting only: a network that is lost afterwards would never be noticed.
      limit = setTimeout(() => opened.close(), config.pool.acquireTimeoutMs)
      await connection.prepare(config.setUp)
      return connection
    } catch (error) {
      client?.close()
      throw translateError(error)
    } finally {
      clearTimeout(limit)
    }
  }
}

export type Tedious = typeof import('tedious')

export async function loadTedious(): Promise<Tedious> {
  const module = (await loadDriver('tedious', () => import('tedious'))) as Tedious & { default?: Tedious }
  return module.default ?? module
}

function connected(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    // What comes later is the connection's business.
    client.on('error', reject)
    client.connect((error) => (error ? reject(error) : resolve()))
  })
}
