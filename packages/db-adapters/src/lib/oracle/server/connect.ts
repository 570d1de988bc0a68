import type { OracleServerLocation } from '../../server/options.js'
import { connectTimeoutMs } from '../../server/sql-sessions.js'
import type { DumpedColumn, InsertedValue, TableHeader, TableSession } from '../../server/table-dump/format.js'
import type { OracleDriver } from './driver.js'

/** Rows of one fetch; each may be large. */
const fetchedRows = 32

/** Numbers and times as texts are the same whatever the settings of server and client say. */
const formats = [
  `nls_numeric_characters = '.,'`,
  `nls_date_format = 'SYYYY-MM-DD HH24:MI:SS'`,
  `nls_timestamp_format = 'SYYYY-MM-DD HH24:MI:SS.FF9'`,
  `nls_timestamp_tz_format = 'SYYYY-MM-DD HH24:MI:SS.FF9 TZR'`,
]

export async function connect(
  driver: OracleDriver,
  { host, port, service, user, password }: OracleServerLocation,
): Promise<TableSession> {
  const connection = await driver.getConnection({
    user,
    password,
    connectString: `${addressOf(host, port)}/${service}`,
    connectTimeout: connectTimeoutMs / 1000,
    transportConnectTimeout: connectTimeoutMs / 1000,
  })
  let ended: Promise<void> | undefined
  try {
    await connection.execute(`alter session set ${formats.join(' ')}`, [], {})
  } catch (error) {
    await end().catch(() => {})
    throw error
  }
  return { run, rows, insert, end }

  async function run(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const { metaData = [], rows: found = [] } = await connection.execute(sql, values, options())
    const names = metaData.map(({ name }) => name.toLowerCase())
    return found.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
  }

  async function* rows(sql: string): AsyncGenerator<readonly (readonly unknown[])[]> {
    const { resultSet } = await connection.execute(sql, [], {
      ...options(),
      resultSet: true,
      fetchArraySize: fetchedRows,
      prefetchRows: fetchedRows,
    })
    if (!resultSet) return
    try {
      for (;;) {
        const batch = await resultSet.getRows(fetchedRows)
        if (batch.length === 0) return
        yield batch
      }
    } finally {
      // A connection that is lost has no more result sets.
      await resultSet.close().catch(() => {})
    }
  }

  async function insert({ into, columns }: TableHeader, added: readonly (readonly InsertedValue[])[]): Promise<void> {
    const names = columns.map(({ column }) => column).join(', ')
    const values = columns.map(({ write = '?' }, at) => write.replace('?', `:${at + 1}`)).join(', ')
    await connection.executeMany(`insert into ${into} (${names}) values (${values})`, added, {
      autoCommit: true,
      bindDefs: columns.map((column, at) => bindOf(driver, column, added, at)),
    })
  }

  /** Whatever is under way is stopped: a connection cannot be closed before. */
  function end(): Promise<void> {
    ended ??= connection.break().then(
      () => connection.close({ drop: true }),
      () => connection.close({ drop: true }),
    )
    return ended
  }

  function options(): object {
    return { outFormat: driver.OUT_FORMAT_ARRAY, fetchTypeHandler: typeOf }
  }

  /** Large objects come with their rows. */
  function typeOf({ dbType }: { readonly dbType: unknown }): object | undefined {
    if (dbType === driver.DB_TYPE_CLOB || dbType === driver.DB_TYPE_NCLOB) return { type: driver.STRING }
    return dbType === driver.DB_TYPE_BLOB ? { type: driver.BUFFER } : undefined
  }
}

/** The host in brackets when it is an address of IPv6. */
export function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function bindOf(
  driver: OracleDriver,
  { kind }: DumpedColumn,
  rows: readonly (readonly InsertedValue[])[],
  at: number,
): object {
  if (kind === 'double') return { type: driver.DB_TYPE_BINARY_DOUBLE }
  const sizes = rows.map((row) => {
    const value = row[at]
    return typeof value === 'string' ? Buffer.byteLength(value) : Buffer.isBuffer(value) ? value.length : 0
  })
  return {
    type: kind === 'bytes' ? driver.BUFFER : driver.STRING,
    maxSize: sizes.reduce((most, size) => Math.max(most, size), 1),
  }
}
