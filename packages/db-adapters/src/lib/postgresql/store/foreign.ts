import type pg from 'pg'
import { loadDriver } from '../../pool/options.js'
import { StoreError } from '@steward/rest-core/errors'
import type { Borrowed } from '../../pool/foreign-pool.js'
import type { JoinedConnection } from '../../pool/joined-connection.js'
import { sessionsOn } from '../../pool/session.js'
import { sessionSettings, type PostgresqlConfig } from './config.js'
import { PostgresqlConnection } from './connection.js'
import { translateError } from './errors.js'
import type { PostgresqlClient, PostgresqlPool } from './pools.js'
import { statementQueryClass, type StatementQueryClass } from './statement-query.js'

/** One per client: it listens for its end, and knows which statements the server has prepared. */
const connections = new WeakMap<object, PostgresqlConnection>()
let Query: StatementQueryClass | undefined

async function connectionOf(client: PostgresqlClient, maxPreparedStatements: number): Promise<PostgresqlConnection> {
  Query ??= statementQueryClass((await loadDriver('pg', () => import('pg'))).default)
  let connection = connections.get(client)
  if (!connection) {
    connection = new PostgresqlConnection({
      client: client as pg.Client,
      Query,
      maxPreparedStatements,
      isForeign: true,
    })
    connections.set(client, connection)
  }
  return connection
}

/** Takes one connection; its settings are the store's until it is given back. */
export async function borrow(pool: PostgresqlPool, config: PostgresqlConfig): Promise<Borrowed<PostgresqlConnection>> {
  const client = await pool.connect().catch((error: unknown) => {
    // The pool's own limit has no code.
    if (error instanceof Error && !('code' in error))
      throw new StoreError('unavailable', error.message, { cause: error })
    throw translateError(error)
  })
  const connection = await connectionOf(client, config.preparedStatements ? config.maxPreparedStatements : 0)
  const settings = config.preparedStatements ? sessionSettings(config) : []
  let before: readonly string[]
  try {
    before = await exchange(connection, settings, false)
  } catch (error) {
    client.release(true)
    throw error
  }
  return {
    connection,
    async giveBack() {
      try {
        if (connection.usable) await exchange(connection, restored(settings, before), false)
        client.release(!connection.usable)
      } catch {
        client.release(true)
      }
    },
  }
}

/** Joins the transaction that is open on a client. */
export async function join(client: PostgresqlClient, config: PostgresqlConfig): Promise<JoinedConnection> {
  const connection = await connectionOf(client, 0)
  // A search sets it for itself.
  const settings: Setting[] = [...sessionSettings(config), ['cursor_tuple_fraction', '1']]
  let before: readonly string[] = []
  return {
    get usable() {
      return connection.usable
    },
    schema: connection,
    session: sessionsOn(connection),
    async enter() {
      connection.joined = true
      try {
        await connection.run(`savepoint ${savepoint}`)
      } catch (error) {
        throw (error as { cause?: { code?: string } }).cause?.code === '25P01' ? notBegun(error) : error
      }
      before = await exchange(connection, settings, true)
    },
    async leave() {
      connection.joined = false
      await exchange(connection, restored(settings, before), true)
      await connection.run(`release savepoint ${savepoint}`)
    },
    async undo() {
      connection.joined = false
      // Also puts the settings back.
      await connection.run(`rollback to savepoint ${savepoint}`)
      await connection.run(`release savepoint ${savepoint}`)
    },
  }
}

const savepoint = 'steward'

export type Setting = readonly [name: string, value: string]

/** Sets them all, and gives what they were before. */
async function exchange(
  connection: PostgresqlConnection,
  settings: readonly Setting[],
  local: boolean,
): Promise<readonly string[]> {
  if (settings.length === 0) return []
  // From left to right.
  const terms = settings.map(
    ([name, value], at) =>
      `current_setting('${name}') as s${at}, set_config('${name}', '${value.replaceAll("'", "''")}', ${local})`,
  )
  const [row = {}] = await connection.rows(`select ${terms.join(', ')}`)
  return settings.map((_, at) => String(row[`s${at}`]))
}

function restored(settings: readonly Setting[], before: readonly string[]): Setting[] {
  return settings.map(([name], at) => [name, before[at]!])
}

function notBegun(cause: unknown): StoreError {
  return new StoreError('internal', 'No transaction is open on the connection. Start one before the store joins it.', {
    cause,
  })
}
