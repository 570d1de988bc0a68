import type pg from 'pg'
import { loadDriver } from '../../pool/options.js'
import { sessionSettings, type PostgresqlConfig } from './config.js'
import { PostgresqlConnection } from './connection.js'
import { statementQueryClass, type StatementQueryClass } from './statement-query.js'

/** One per client: it listens for its end, and knows which statements the server has prepared. */
const connections = new WeakMap<object, PostgresqlConnection>()
let Query: StatementQueryClass | undefined

/** Takes a client that the store has not opened. */
export async function connectTo(raw: object, config: PostgresqlConfig): Promise<PostgresqlConnection> {
  Query ??= statementQueryClass((await loadDriver('pg', () => import('pg'))).default)
  let connection = connections.get(raw)
  if (!connection) {
    const maxPreparedStatements = config.preparedStatements ? config.maxPreparedStatements : 0
    connection = new PostgresqlConnection({ client: raw as pg.Client, Query, maxPreparedStatements, isForeign: true })
    connections.set(raw, connection)
  }
  return connection
}

type Setting = readonly [name: string, value: string]

/** Sets what statements need. @returns puts the settings back */
export async function prepareSession(
  connection: PostgresqlConnection,
  config: PostgresqlConfig,
  isLocal: boolean,
): Promise<() => Promise<void>> {
  // In a transaction, a search sets the last one for itself.
  const settings: readonly Setting[] = isLocal
    ? [...sessionSettings(config), ['cursor_tuple_fraction', '1']]
    : config.preparedStatements
      ? sessionSettings(config)
      : []
  const before = await exchange(connection, settings, isLocal)
  return async () => void (await exchange(connection, before, isLocal))
}

/** Sets them all, and gives what they were before. */
async function exchange(
  connection: PostgresqlConnection,
  settings: readonly Setting[],
  isLocal: boolean,
): Promise<readonly Setting[]> {
  if (settings.length === 0) return []
  // From left to right.
  const terms = settings.map(
    ([name, value], at) =>
      `current_setting('${name}') as s${at}, set_config('${name}', '${value.replaceAll("'", "''")}', ${isLocal})`,
  )
  const [row = {}] = await connection.rows(`select ${terms.join(', ')}`)
  return settings.map(([name], at) => [name, String(row[`s${at}`])])
}
