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
  /** A URL like `oracle://user:password@host:1521/service`, or its parts. */
  readonly connection: string | OracleConnectionOptions
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
  const given = checkConnection<OracleConnectionOptions>(options.connection, form)
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
    setUp,
    lockSeconds: Math.ceil(limits.lockTimeoutMs / 1000),
  }
}

function partsOf(text: string): OracleConnectionOptions {
  const { host, port = form.defaultPort, user, password, path, search } = readDatabaseUrl(text, form)
  return { user, password, connectString: `${host}:${port}/${path}${search}` }
}

/** Texts compare by their bytes, which is by code point in AL32UTF8; nothing is read or written by the server's locale. */
const setUp = [
  "alter session set nls_sort = 'BINARY' nls_comp = 'BINARY' nls_numeric_characters = '.,' nls_length_semantics = 'CHAR' nls_date_format = 'YYYY-MM-DD HH24:MI:SS' nls_timestamp_format = 'YYYY-MM-DD HH24:MI:SS'",
  "alter session set time_zone = '+00:00'",
]
