import type { ConnectionConfiguration, ConnectionOptions } from 'tedious'
import {
  checkConnection,
  serverStoreLimits,
  type ServerStoreLimits,
  type ServerStoreOptions,
} from '../../pool/options.js'

/** Where the server is; other options of tedious are passed on in `options`. */
export interface MssqlConnectionOptions {
  /** Host name or address. Default `localhost`. */
  readonly server?: string
  /** The same, as knex calls it. */
  readonly host?: string
  /** Default 1433. */
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  /** Another way to log in than by user and password, as tedious takes it. */
  readonly authentication?: ConnectionConfiguration['authentication']
  /** E.g. `encrypt` (default true) and `trustServerCertificate` (default false). */
  readonly options?: ConnectionOptions
}

export interface MssqlStoreOptions extends ServerStoreOptions {
  /**
   * A URL like `mssql://user:password@host:1433/database`, or its parts. What follows `?` in the URL are options of
   * tedious, e.g. `?encrypt=false` or `?trustServerCertificate=true`.
   */
  readonly connection: string | MssqlConnectionOptions
}

export interface MssqlConfig extends ServerStoreLimits {
  readonly client: ConnectionConfiguration
  /** Run on every new connection. */
  readonly setUp: string
}

/** A server that does not answer the order to end a statement is given up after this. */
const longestCancelMs = 5_000

/** @throws TypeError for options that cannot work; no I/O. */
export function mssqlConfig(options: MssqlStoreOptions): MssqlConfig {
  const limits = serverStoreLimits(options)
  const given = checkConnection<MssqlConnectionOptions>(options.connection, ['mssql:', 'sqlserver:'])
  const where = typeof given === 'string' ? readUrl(new URL(given)) : given
  const { server = where.host ?? 'localhost', port, user, password, database, authentication } = where
  const { statementTimeoutMs, lockTimeoutMs, pool } = limits
  const client: ConnectionConfiguration = {
    server,
    ...((authentication ?? user !== undefined)
      ? { authentication: authentication ?? { type: 'default', options: { userName: user, password } } }
      : {}),
    options: {
      appName: 'steward',
      ...where.options,
      ...(port === undefined ? {} : { port }),
      ...(database === undefined ? {} : { database }),
      connectTimeout: pool.acquireTimeoutMs,
      requestTimeout: statementTimeoutMs,
      cancelTimeout: Math.min(statementTimeoutMs || longestCancelMs, longestCancelMs),
      maxRetriesOnTransientErrors: 0,
      rowCollectionOnDone: false,
      rowCollectionOnRequestCompletion: false,
      useColumnNames: false,
      dateFormat: 'ymd',
    },
  }
  return { ...limits, client, setUp: `set xact_abort off; set lock_timeout ${lockTimeoutMs}` }
}

function readUrl({ hostname, port, username, password, pathname, searchParams }: URL): MssqlConnectionOptions {
  const database = decodeURIComponent(pathname.slice(1))
  return {
    server: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...(database === '' ? {} : { database }),
    options: Object.fromEntries([...searchParams].map(([name, value]) => [name, readOption(value)])),
  }
}

function readOption(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^\d{1,9}$/.test(value) ? Number(value) : value
}
