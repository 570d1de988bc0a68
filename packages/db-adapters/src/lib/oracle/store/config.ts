import { readDatabaseUrl, type UrlForm } from '../../pool/database-url.js'
import {
  checkConnection,
  serverStoreLimits,
  type ServerStoreLimits,
  type ServerStoreOptions,
} from '../../pool/options.js'

/** Where the database is; other attributes of oracledb's `getConnection` are passed on, except those that need Oracle's client libraries. */
export interface OracleConnectionOptions {
  readonly user?: string
  readonly password?: string
  /** `host:1521/service`, a connect descriptor, or a name of `tnsnames.ora`. */
  readonly connectString?: string
  /** Instead of `connectString`: its host. */
  readonly host?: string
  /** Default 1521. */
  readonly port?: number
  /** The service. */
  readonly database?: string
}

export interface OracleStoreOptions extends ServerStoreOptions {
  /**
   * A URL like `oracle://user:password@host:1521/service`, or its parts. Required without `knex`.
   */
  readonly connection?: string | OracleConnectionOptions
}

export interface OracleConfig extends ServerStoreLimits {
  readonly attributes: object
  /** Run on every new connection, one after the other. */
  readonly setUp: readonly string[]
  readonly lockSeconds: number
}

/** Parameters are those of connect strings that oracledb knows. */
const form: UrlForm = {
  schemes: ['oracle:'],
  path: 'service',
  defaultPort: 1521,
  needs: ['host', 'path', 'user'],
  parameters: new Set(
    'enable compression failover load_balance recv_buf_size send_buf_size sdu source_route retry_count retry_delay https_proxy https_proxy_port connect_timeout transport_connect_timeout recv_timeout ssl_server_cert_dn ssl_server_dn_match tls_server_cert_dn tls_server_dn_match ssl_allow_weak_dn_match tls_allow_weak_dn_match wallet_location pool_connection_class pool_purity service_tag connection_id_prefix pool_boundary use_sni'.split(
      ' ',
    ),
  ),
  parametersAre: 'those of connect strings, such as retry_count=3',
  anyCase: true,
}

/** @throws TypeError for options that cannot work; no I/O. */
export function oracleConfig(options: OracleStoreOptions): OracleConfig {
  const limits = serverStoreLimits(options)
  const lockSeconds = Math.ceil(limits.lockTimeoutMs / 1000)
  if (options.knex) return { ...limits, attributes: {}, setUp: alterSession(sessionSettings), lockSeconds }
  const given = checkConnection<OracleConnectionOptions>(options, form)
  const { host, port = 1521, database, ...rest } = typeof given === 'string' ? partsOf(given) : given
  const connectString = rest.connectString ?? (host === undefined ? undefined : `${host}:${port}/${database ?? ''}`)
  if (connectString === undefined)
    throw new TypeError('Option "connection" names no server. Give "connectString", or "host" and "database".')
  const connectSeconds = Math.ceil(limits.pool.acquireTimeoutMs / 1000)
  return {
    ...limits,
    attributes: {
      // Minutes between probes that notice a network that is lost.
      expireTime: 5,
      connectTimeout: connectSeconds,
      transportConnectTimeout: connectSeconds,
      stmtCacheSize: limits.maxPreparedStatements,
      ...rest,
      connectString,
    },
    setUp: alterSession(sessionSettings),
    lockSeconds,
  }
}

function partsOf(text: string): OracleConnectionOptions {
  const { host, port = form.defaultPort, user, password, path, search } = readDatabaseUrl(text, form)
  return { user, password, connectString: `${host}:${port}/${path}${search}` }
}

/** Texts compare by their bytes, which is by code point in AL32UTF8; nothing is read or written by the server's locale. */
export const sessionSettings: Readonly<Record<string, string>> = {
  NLS_SORT: 'BINARY',
  NLS_COMP: 'BINARY',
  NLS_NUMERIC_CHARACTERS: '.,',
  NLS_LENGTH_SEMANTICS: 'CHAR',
  NLS_DATE_FORMAT: 'YYYY-MM-DD HH24:MI:SS',
  NLS_TIMESTAMP_FORMAT: 'YYYY-MM-DD HH24:MI:SS',
  TIME_ZONE: '+00:00',
}

/** Statements that set these, one after the other. */
export function alterSession({ TIME_ZONE: zone = '', ...formats }: Readonly<Record<string, string>>): string[] {
  const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const all = Object.entries(formats).map(([name, value]) => `${name} = ${quoted(value)}`)
  return [`alter session set ${all.join(' ')}`, `alter session set TIME_ZONE = ${quoted(zone)}`]
}

/** Where the database is, as an instance of knex shows it. */
export function placeOf({ attributes }: OracleConfig): object {
  const { user, connectString } = attributes as OracleConnectionOptions
  return { user, connectString }
}
