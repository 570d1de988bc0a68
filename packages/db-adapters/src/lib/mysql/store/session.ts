import type { Connection as Client } from 'mysql2'
import { borrowedSettings, type MysqlConfig } from './config.js'
import { MysqlConnection } from './connection.js'

/** One per client: it listens for its end. */
const connections = new WeakMap<object, MysqlConnection>()

/** Takes a connection of `mysql2` that the store has not opened. */
export function connectTo(raw: object): MysqlConnection {
  let connection = connections.get(raw)
  if (!connection) {
    connection = new MysqlConnection({ client: raw as Client, statementTimeoutMs: 0, isForeign: true })
    connections.set(raw, connection)
  }
  return connection
}

/** Sets what statements need. @returns puts the settings back */
export async function prepareSession(connection: MysqlConnection, config: MysqlConfig): Promise<() => Promise<void>> {
  const { take, putBack } = borrowedSettings(config)
  await connection.run(take)
  return () => connection.run(putBack)
}
