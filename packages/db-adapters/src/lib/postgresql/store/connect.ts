import type { Socket } from 'node:net'
import type pg from 'pg'
import { answerTimeoutMs, loadDriver } from '../../pool/options.js'
import type { PostgresqlConfig } from './config.js'
import { PostgresqlConnection } from './connection.js'
import { translateError } from './errors.js'
import { statementQueryClass, type StatementQueryClass } from './statement-query.js'

interface Driver {
  readonly Client: typeof pg.Client
  readonly Query: StatementQueryClass
}

/** Gives a function that opens a connection and prepares its session. @throws StoreError */
export function connector(config: PostgresqlConfig): () => Promise<PostgresqlConnection> {
  let driver: Promise<Driver> | undefined
  return async () => {
    const { Client, Query } = await (driver ??= loadDriver('pg', load))
    let client: pg.Client | undefined
    let limit: NodeJS.Timeout | undefined
    try {
      client = new Client(config.client)
      const maxPreparedStatements = config.preparedStatements ? config.maxPreparedStatements : 0
      const connection = new PostgresqlConnection({ client, Query, maxPreparedStatements })
      await client.connect()
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      // The driver has a limit for its greeting only: a network that is lost afterwards would never be noticed.
      limit = setTimeout(() => stream.destroy(), config.pool.acquireTimeoutMs)
      await client.query(config.setUp)
      connection.expectAnswersIn(answerTimeoutMs(config))
      return connection
    } catch (error) {
      void client?.end().catch(() => {})
      throw translateError(error)
    } finally {
      clearTimeout(limit)
    }
  }
}

async function load(): Promise<Driver> {
  const { default: module } = await import('pg')
  return { Client: module.Client, Query: statementQueryClass(module) }
}
