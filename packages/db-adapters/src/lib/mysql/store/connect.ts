import type { Socket } from 'node:net'
import type { Connection as Client, QueryError } from 'mysql2'
import { answerTimeoutMs, loadDriver } from '../../pool/options.js'
import type { MysqlConfig } from './config.js'
import { MysqlConnection } from './connection.js'
import { translateError } from './errors.js'

/** Gives a function that opens a connection and prepares its session. @throws StoreError */
export function connector(config: MysqlConfig): () => Promise<MysqlConnection> {
  let driver: Promise<typeof import('mysql2')> | undefined
  return async () => {
    const { createConnection } = await (driver ??= loadDriver('mysql2', () => import('mysql2')))
    let client: Client | undefined
    let limit: NodeJS.Timeout | undefined
    try {
      client = createConnection(config.client)
      const connection = new MysqlConnection({ client, statementTimeoutMs: config.statementTimeoutMs })
      const { stream } = client as unknown as { stream: Socket }
      // The driver has a limit for its greeting only: a network that is lost afterwards would never be noticed.
      limit = setTimeout(() => stream.destroy(), config.pool.acquireTimeoutMs)
      await connected(client)
      for (const sql of config.setUp) await connection.run(sql)
      connection.expectAnswersIn(answerTimeoutMs(config))
      return connection
    } catch (error) {
      client?.destroy()
      throw translateError(error)
    } finally {
      clearTimeout(limit)
    }
  }
}

function connected(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.connect((error: QueryError | null) => (error ? reject(error) : resolve()))
  })
}
