import type { Borrowed } from '../../pool/foreign-pool.js'
import type { JoinedConnection } from '../../pool/joined-connection.js'
import { sessionsOn } from '../../pool/session.js'
import { text } from '../../schema/rows.js'
import type { OraclePool } from './clients.js'
import { alterSession, sessionSettings, type OracleConfig } from './config.js'
import { OracleConnection } from './connection.js'
import type { Client, Driver } from './driver.js'
import { translateError } from './errors.js'

const zone = 'TIME_ZONE'

/** What sessions of the application have, by names as `alter session` takes them. */
const settingsSql = `
  select parameter as name, value as value from nls_session_parameters
  where parameter in (${Object.keys(sessionSettings)
    .filter((name) => name !== zone)
    .map((name) => `'${name}'`)
    .join(', ')})
  union all select '${zone}', sessiontimezone from dual`

/** Sets what statements need. @returns what puts the settings back */
async function takeSettings(connection: OracleConnection, client: Client): Promise<() => Promise<void>> {
  const { callTimeout } = client
  const before = Object.fromEntries(
    (await connection.rows(settingsSql)).map((row) => [text(row, 'name'), text(row, 'value')]),
  )
  for (const sql of alterSession(sessionSettings)) await connection.run(sql)
  return async () => {
    for (const sql of alterSession(before)) await connection.run(sql)
    client.callTimeout = callTimeout
  }
}

/** Takes one connection; its settings are the store's until it is given back. */
export async function borrow(
  pool: OraclePool,
  driver: Driver,
  { statementTimeoutMs }: OracleConfig,
): Promise<Borrowed<OracleConnection>> {
  const client = await pool.getConnection().then(
    (given) => given as Client,
    (error: unknown) => Promise.reject(translateError(error)),
  )
  const connection = new OracleConnection({ client, driver, statementTimeoutMs, ofPool: true })
  let putBack: () => Promise<void>
  try {
    putBack = await takeSettings(connection, client)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    connection,
    async giveBack() {
      try {
        if (!connection.usable) return await connection.close()
        await putBack()
        await client.close()
      } catch {
        await connection.close()
      }
    },
  }
}

const savepoint = 'steward'

/** Joins the transaction of a connection, which on Oracle begins with the first statement that writes. */
export async function join(client: Client, driver: Driver, config: OracleConfig): Promise<JoinedConnection> {
  const connection = new OracleConnection({ client, driver, statementTimeoutMs: config.statementTimeoutMs })
  // Nothing is committed by itself.
  await connection.begin()
  let putBack = async (): Promise<void> => {}
  return {
    get usable() {
      return connection.usable
    },
    schema: connection,
    session: sessionsOn(connection),
    async enter() {
      await connection.run(`savepoint ${savepoint}`)
      putBack = await takeSettings(connection, client)
    },
    leave: () => putBack(),
    async undo() {
      await putBack()
      await connection.run(`rollback to savepoint ${savepoint}`)
    },
  }
}
