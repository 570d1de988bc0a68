import { StoreError } from '@steward/rest-core/errors'
import type BetterSqlite3 from 'better-sqlite3'
import type { JoinedConnection } from '../../pool/joined-connection.js'
import type { SqliteClient } from './client.js'
import { SqliteConnection } from './connection.js'
import { toStoreError } from './errors.js'
import { createSchemaConnection } from './schema-connection.js'
import { createTransactionSession } from './transaction-session.js'

/** One per database object, with its prepared statements. */
const connections = new WeakMap<SqliteClient, SqliteConnection>()

function connectionOf(client: SqliteClient): SqliteConnection {
  let connection = connections.get(client)
  if (!connection) connections.set(client, (connection = new SqliteConnection(client as BetterSqlite3.Database)))
  return connection
}

/** Joins the transaction that is open on a database object. */
export async function join(client: SqliteClient, busyTimeoutMs: number): Promise<JoinedConnection> {
  const connection = connectionOf(client)
  const execute = async (sql: string): Promise<void> => {
    try {
      connection.execute(sql)
    } catch (error) {
      throw toStoreError(error, sql)
    }
  }
  return {
    get usable() {
      return connection.raw.open
    },
    schema: createSchemaConnection(connection, busyTimeoutMs),
    session: (compiler) => createTransactionSession(compiler, connection, () => {}),
    async enter() {
      if (!connection.raw.open) throw new StoreError('unavailable', 'The database object of the application is closed.')
      if (!connection.raw.inTransaction) {
        const text = 'No transaction is open on the connection. Start one before the store joins it.'
        throw new StoreError('internal', text)
      }
      await execute('savepoint steward')
    },
    leave: () => execute('release steward'),
    async undo() {
      await execute('rollback to steward')
      await execute('release steward')
    },
  }
}
