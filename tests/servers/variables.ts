/** Where each server is; the first two are set by the test set-up, the others only by the user. */
export const urlVariable = {
  postgresql: 'TEST_POSTGRESQL_URL',
  mysql: 'TEST_MYSQL_URL',
  mssql: 'TEST_MSSQL_URL',
  oracle: 'TEST_ORACLE_URL',
} as const

export type ServerName = keyof typeof urlVariable

/** Those of SQL Server and Oracle whose URLs are set; no ordinary run has them. */
export const givenVendors = (['mssql', 'oracle'] as const).filter((name) => process.env[urlVariable[name]])

/** Carries the reason for a missing URL from the set-up to the tests. */
export function reasonVariable(server: ServerName): string {
  return urlVariable[server].replace('_URL', '_REASON')
}
