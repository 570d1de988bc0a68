import type { ClientConfig } from 'pg'
import type { PostgresqlConnectionOptions, PostgresqlStoreOptions } from './options.js'
import { placeInUrl, readDatabaseUrl, type UrlForm } from '../../pool/database-url.js'
import { checkConnection, serverStoreLimits, type ServerStoreLimits } from '../../pool/options.js'

export interface PostgresqlConfig extends ServerStoreLimits {
  readonly client: ClientConfig
  readonly preparedStatements: boolean
  readonly sharedConnections: number
  /** Run on every new connection. */
  readonly setUp: string
}

/** What pg knows, and what libpq knows that it leaves alone: providers put it into the URLs that they give. */
const form: UrlForm = {
  schemes: ['postgresql:', 'postgres:'],
  path: 'database',
  defaultPort: 5432,
  needs: [],
  parameters: new Set(
    'host port user password dbname database application_name fallback_application_name client_encoding options binary replication ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat statement_timeout lock_timeout idle_in_transaction_session_timeout query_timeout connect_timeout keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout channel_binding gssencmode krbsrvname require_auth passfile service sslcrl sslcompression sslsni sslpassword ssl_min_protocol_version ssl_max_protocol_version target_session_attrs load_balance_hosts hostaddr pgbouncer'.split(
      ' ',
    ),
  ),
  parametersAre: 'those of pg, such as sslmode=require',
}

/** @throws TypeError for options that cannot work; no I/O. */
export function postgresqlConfig(options: PostgresqlStoreOptions): PostgresqlConfig {
  const limits = serverStoreLimits(options)
  const { preparedStatements = true, sharedConnections = 2 } = options
  if (!Number.isInteger(sharedConnections) || sharedConnections < 1) {
    throw new TypeError(`Option "sharedConnections" must be a whole number from 1, not ${String(sharedConnections)}.`)
  }
  const given = checkConnection<PostgresqlConnectionOptions>(options, form)
  const where = typeof given === 'string' ? { connectionString: given } : given
  if (where.connectionString !== undefined && !/^socket:/i.test(where.connectionString))
    checkConnection({ connection: where.connectionString }, form)
  const client: ClientConfig = {
    fallback_application_name: 'steward',
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    ...where,
    connectionTimeoutMillis: limits.pool.acquireTimeoutMs,
    pipeline: true,
  }
  return { ...limits, client, preparedStatements, sharedConnections, setUp: setUp(limits, preparedStatements) }
}

/** What another owner's session gets for the time that a store uses it. */
export function sessionSettings({
  lockTimeoutMs,
  statementTimeoutMs,
}: ServerStoreLimits): (readonly [string, string])[] {
  return [
    ['timezone', 'UTC'],
    ['datestyle', 'ISO, YMD'],
    ['standard_conforming_strings', 'on'],
    ['intervalstyle', 'iso_8601'],
    ['extra_float_digits', '1'],
    ['lock_timeout', String(lockTimeoutMs)],
    ['statement_timeout', String(statementTimeoutMs)],
  ]
}

function setUp(limits: ServerStoreLimits, session: boolean): string {
  // Poolers keep these four apart for each of their clients.
  const tracked = [
    `time zone 'UTC'`,
    `datestyle = 'ISO, YMD'`,
    `standard_conforming_strings = on`,
    `client_encoding = 'UTF8'`,
  ]
  const others = [
    `default_transaction_isolation = 'read committed'`,
    `intervalstyle = 'iso_8601'`,
    `extra_float_digits = 1`,
    `lock_timeout = ${limits.lockTimeoutMs}`,
    ...(limits.statementTimeoutMs > 0 ? [`statement_timeout = ${limits.statementTimeoutMs}`] : []),
  ]
  return [...tracked, ...(session ? others : [])].map((setting) => `set ${setting}`).join('; ')
}

/** Where the database is, as an instance of knex shows it. */
export function placeOf({ client }: PostgresqlConfig): object {
  const url = client.connectionString
  // The path of a socket is no URL.
  if (url !== undefined && !/^socket:/i.test(url)) return placeInUrl(readDatabaseUrl(url, form))
  const { host, port, user, database } = client
  return { host, port, user, database }
}
