import type { ConnectionConfiguration, Request } from 'tedious'
import { loadDriver } from '../../pool/options.js'
import type { MssqlServerLocation } from '../../server/options.js'
import { connectTimeoutMs } from '../../server/sql-sessions.js'
import type { InsertedValue, TableHeader, TableSession } from '../../server/table-dump/format.js'

/** What a server takes in one statement: 2,100 parameters and 1,000 rows, here with room to spare. */
const mostParameters = 2000
const mostRows = 500
/** Rows that are kept until the reader takes them; each may be large. */
const waitingRows = 16

/** An error of the driver with the number that the server gave, also when the log-in was refused. */
export interface NumberedError extends Error {
  readonly number?: number
  readonly code?: string
}

export async function connect(
  { host, port, user, password, encryption = 'yes' }: MssqlServerLocation,
  database: string | undefined,
): Promise<TableSession> {
  const driver = await loadDriver('tedious', () => import('tedious'))
  const { NVarChar, VarBinary, Float } = driver.TYPES
  const configuration: ConnectionConfiguration = {
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      database: database ?? 'master',
      encrypt: encryption !== 'no',
      trustServerCertificate: encryption === 'trust',
      connectTimeout: connectTimeoutMs,
      requestTimeout: 0,
      appName: 'steward',
      maxRetriesOnTransientErrors: 0,
    },
  }
  const connection = new driver.Connection(configuration)
  // A lost connection fails the request that is under way.
  connection.on('error', () => {})
  const numbers: number[] = []
  connection.on('errorMessage', ({ number }: { readonly number: number }) => numbers.push(number))
  /** Fails the request that is under way; the driver notifies only some of them that the connection has ended. */
  let lose = (_lost: Error): void => {}
  connection.once('end', () => lose(Object.assign(new Error('The connection was lost.'), { code: 'ECONNCLOSED' })))
  await new Promise<void>((resolve, reject) =>
    connection.connect((error) => {
      if (!error) return resolve()
      connection.close()
      // The last one only says that it was refused.
      reject(numbers[0] === undefined ? error : Object.assign(error, { number: numbers[0] }))
    }),
  )

  return { run, rows, insert, end }

  async function run(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = []
    await perform(sql, values, (request) =>
      request.on('row', (columns: readonly { readonly metadata: { colName: string }; readonly value: unknown }[]) =>
        found.push(Object.fromEntries(columns.map(({ metadata, value }) => [metadata.colName, value]))),
      ),
    )
    return found
  }

  async function* rows(sql: string): AsyncGenerator<readonly (readonly unknown[])[]> {
    let waiting: unknown[][] = []
    let ended: { readonly error?: unknown } | undefined
    let changed = Promise.withResolvers<void>()
    const notify = () => {
      changed.resolve()
      changed = Promise.withResolvers()
    }
    let running: Request | undefined
    void perform(sql, [], (request) => {
      running = request
      request.on('row', (columns: readonly { readonly value: unknown }[]) => {
        waiting.push(columns.map(({ value }) => value))
        if (waiting.length >= waitingRows) request.pause()
        notify()
      })
    }).then(
      () => ((ended = {}), notify()),
      (error: unknown) => ((ended = { error }), notify()),
    )
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting
        waiting = []
        yield batch
      } else if (ended) {
        if ('error' in ended) throw ended.error
        return
      } else {
        const next = changed.promise
        running?.resume()
        await next
      }
    }
  }

  async function insert({ into, columns }: TableHeader, rows: readonly (readonly InsertedValue[])[]): Promise<void> {
    const names = columns.map(({ column }) => column).join(', ')
    const most = Math.min(mostRows, Math.floor(mostParameters / columns.length))
    for (let at = 0; at < rows.length; at += most) {
      const part = rows.slice(at, at + most)
      let parameter = 0
      const row = () => `(${columns.map(({ write = '?' }) => write.replace('?', `@p${++parameter}`)).join(', ')})`
      const sql = `insert into ${into} (${names}) values ${part.map(row).join(', ')}`
      await perform(sql, part.flat(), () => {}, columns)
    }
  }

  /** Statements without values go as a batch: what they set or start holds after them. */
  function perform(
    sql: string,
    values: readonly unknown[],
    listen: (request: Request) => void,
    columns: TableHeader['columns'] = [],
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = new driver.Request(sql, (error) => (error ? reject(single(error)) : resolve()))
      listen(request)
      values.forEach((value, at) => {
        const kind = columns.length > 0 ? columns[at % columns.length]?.kind : undefined
        const type = kind === 'bytes' ? VarBinary : kind === 'double' ? Float : NVarChar
        request.addParameter(`p${at + 1}`, type, value)
      })
      lose = reject
      if (values.length > 0) connection.execSql(request)
      else connection.execSqlBatch(request)
    })
  }

  async function end(): Promise<void> {
    connection.close()
  }
}

/** The first of several errors of one statement has the reason. */
function single(error: Error): Error {
  return error instanceof AggregateError ? (error.errors[0] as Error) : error
}
