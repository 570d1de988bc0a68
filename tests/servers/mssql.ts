import { Connection, Request, TYPES } from 'tedious'

/** A bare connection to SQL Server. */
export interface MssqlClient {
  /** Rows by column name; placeholders are `@p1`, `@p2`, … Rejects with the driver's errors. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** @param url e.g. `mssql://sa:secret@localhost/master?encrypt=false` */
export async function openMssql(url: string): Promise<MssqlClient> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const connection = new Connection({
    server: hostname,
    authentication: {
      type: 'default',
      options: { userName: decodeURIComponent(username), password: decodeURIComponent(password) },
    },
    options: {
      ...(port === '' ? {} : { port: Number(port) }),
      database: pathname.slice(1),
      encrypt: searchParams.get('encrypt') !== 'false',
      trustServerCertificate: true,
      requestTimeout: 60_000,
      useColumnNames: false,
    },
  })
  connection.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()))
  })
  let last: Promise<unknown> = Promise.resolve()
  return {
    rows(sql, values = []) {
      const answer = last.then(() => ask(connection, sql, values))
      last = answer.catch(() => {})
      return answer
    },
    async close() {
      await last
      connection.close()
    },
  }
}

function ask(connection: Connection, sql: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    const rows: Record<string, unknown>[] = []
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)))
    request.on('row', (columns: { value: unknown; metadata: Metadata }[]) => {
      rows.push(Object.fromEntries(columns.map(({ metadata, value }) => [metadata.colName, asText(value, metadata)])))
    })
    for (const [at, value] of values.entries()) request.addParameter(`p${at + 1}`, TYPES.NVarChar, value)
    if (values.length > 0) connection.execSql(request)
    else connection.execSqlBatch(request)
  })
}

interface Metadata {
  readonly colName: string
  readonly type: { readonly name: string }
}

/** Days, times and moments as other databases write them. */
function asText(value: unknown, { type }: Metadata): unknown {
  if (!(value instanceof Date)) return value
  const text = value.toISOString()
  if (type.name === 'Date') return text.slice(0, 10)
  return type.name === 'Time' ? text.slice(11, 19) : text.slice(0, 19).replace('T', ' ')
}
