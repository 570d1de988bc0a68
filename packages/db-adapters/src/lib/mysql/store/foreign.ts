import type { Connection as Client } from 'mysql2'
import { StoreError } from '@steward/rest-core/errors'
import type { Borrowed } from '../../pool/foreign-pool.js'
import type { JoinedConnection } from '../../pool/joined-connection.js'
import { sessionsOn } from '../../pool/session.js'
import { borrowedSettings, type MysqlConfig } from './config.js'
import { MysqlConnection } from './connection.js'
import { translateError } from './errors.js'
import {
  isMysqlClient,
  type MysqlClient,
  type MysqlPool,
  type MysqlPoolConnection,
  type MysqlPromiseClient,
  type MysqlPromisePool,
} from './pools.js'

/** One per client: it listens for its end. */
const connections = new WeakMap<object, MysqlConnection>()

function connectionOf(given: MysqlClient | MysqlPromiseClient): MysqlConnection {
  const client = 'connection' in given && isMysqlClient(given.connection) ? given.connection : (given as MysqlClient)
  let connection = connections.get(client)
  if (!connection) {
    connection = new MysqlConnection({ client: client as unknown as Client, statementTimeoutMs: 0, isForeign: true })
    connections.set(client, connection)
  }
  return connection
}

/** Takes one connection; its settings are the store's until it is given back. */
export async function borrow(
  pool: MysqlPool | MysqlPromisePool,
  config: MysqlConfig,
): Promise<Borrowed<MysqlConnection>> {
  const client = await new Promise<MysqlPoolConnection>((resolve, reject) => {
    const own = 'pool' in pool ? pool.pool : pool
    own.getConnection((error, connection) => {
      if (!error) resolve(connection)
      // The pool's own limits have no code.
      else if ('code' in error && typeof error.code === 'string') reject(translateError(error))
      else reject(new StoreError('unavailable', error.message, { cause: error }))
    })
  })
  const connection = connectionOf(client)
  const { take, putBack } = borrowedSettings(config)
  try {
    await connection.run(take)
  } catch (error) {
    client.destroy()
    throw error
  }
  return {
    connection,
    async giveBack() {
      try {
        if (connection.usable) await connection.run(putBack)
      } catch {
        connection.usable = false
      }
      if (connection.usable) client.release()
      else client.destroy()
    },
  }
}

const savepoint = 'steward'

/** Joins the transaction that is open on a connection. */
export async function join(client: MysqlClient | MysqlPromiseClient, config: MysqlConfig): Promise<JoinedConnection> {
  const connection = connectionOf(client)
  const { take, putBack } = borrowedSettings(config)
  return {
    get usable() {
      return connection.usable
    },
    schema: connection,
    session: sessionsOn(connection),
    async enter() {
      if (!(await connection.isInTransaction(`savepoint ${savepoint}`))) {
        const text = 'No transaction is open on the connection. Start one before the store joins it.'
        throw new StoreError('internal', text)
      }
      connection.joined = true
      await connection.run(take)
    },
    async leave() {
      connection.joined = false
      await connection.run(putBack)
      await connection.run(`release savepoint ${savepoint}`)
    },
    async undo() {
      connection.joined = false
      await connection.run(putBack)
      await connection.run(`rollback to savepoint ${savepoint}`)
      await connection.run(`release savepoint ${savepoint}`)
    },
  }
}
