import { text } from '../../schema/rows.js'
import { alterSession, sessionSettings, type OracleConfig } from './config.js'
import { OracleConnection } from './connection.js'
import type { Client, Driver } from './driver.js'

const zone = 'TIME_ZONE'

/** What sessions of the application have, by names as `alter session` takes them. */
const settingsSql = `
  select parameter as name, value as value from nls_session_parameters
  where parameter in (${Object.keys(sessionSettings)
    .filter((name) => name !== zone)
    .map((name) => `'${name}'`)
    .join(', ')})
  union all select '${zone}', sessiontimezone from dual`

/** Takes a connection of `oracledb` that the store has not opened. */
export function connectTo(raw: object, driver: Driver, { statementTimeoutMs }: OracleConfig): OracleConnection {
  return new OracleConnection({ client: raw as Client, driver, statementTimeoutMs, isForeign: true })
}

/** Sets what statements need. @returns puts the settings back */
export async function prepareSession(connection: OracleConnection): Promise<() => Promise<void>> {
  const client = connection.raw as Client
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
