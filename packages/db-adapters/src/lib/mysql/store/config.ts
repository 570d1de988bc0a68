import type { ConnectionOptions } from 'mysql2'
import type { MysqlConnectionOptions, MysqlStoreOptions } from './options.js'
import { placeInUrl, readDatabaseUrl, type UrlForm } from '../../pool/database-url.js'
import { checkConnection, serverStoreLimits, type ServerStoreLimits } from '../../pool/options.js'

export interface MysqlConfig extends ServerStoreLimits {
  readonly client: ConnectionOptions
  /** Run on every new connection, one after the other. */
  readonly setUp: readonly string[]
}

/** Those of mysql2 that a text can say. */
const form: UrlForm = {
  schemes: ['mysql:', 'mariadb:'],
  path: 'database',
  defaultPort: 3306,
  needs: ['host', 'path'],
  parameters: new Set(
    'bigNumberStrings charset charsetNumber compress connectAttributes connectTimeout dateStrings debug decimalNumbers disableEval enableCleartextPlugin enableKeepAlive flags gracefulEnd insecureAuth jsonStrings keepAliveInitialDelay localAddress maxPreparedStatements password1 password2 password3 passwordSha1 socketPath ssl supportBigNumbers timezone trace'.split(
      ' ',
    ),
  ),
  parametersAre: 'options of mysql2, such as ssl={"rejectUnauthorized":true}',
}

/** @throws TypeError for options that cannot work; no I/O. */
export function mysqlConfig(options: MysqlStoreOptions): MysqlConfig {
  const limits = serverStoreLimits(options)
  const given = checkConnection<MysqlConnectionOptions>(options, form)
  const where = typeof given === 'string' ? { uri: given } : given
  if (where.uri !== undefined) checkConnection({ connection: where.uri }, form)
  const client: ConnectionOptions = {
    keepAliveInitialDelay: 30_000,
    ...(where as ConnectionOptions),
    connectTimeout: limits.pool.acquireTimeoutMs,
    // Connection texts such as those of casts compare by code point.
    charset: 'UTF8MB4_BIN',
    maxPreparedStatements: limits.maxPreparedStatements,
    // Nothing may lose digits or become a Date.
    supportBigNumbers: true,
    bigNumberStrings: true,
    decimalNumbers: false,
    dateStrings: true,
    jsonStrings: true,
    timezone: 'Z',
  }
  return { ...limits, client, setUp: setUp(limits) }
}

/** MariaDB and MySQL, in this order, run what is in their kind of comment only. MySQL knows a limit for queries only. */
export function setStatementTimeout(ms: number): string {
  return `set @_ = 0 /*M!, max_statement_time = ${ms / 1000} */ /*!50708, max_execution_time = ${ms} */`
}

const modes = [
  'STRICT_ALL_TABLES',
  'NO_ZERO_IN_DATE',
  'NO_ZERO_DATE',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
]

/** How texts are read and compared, whatever the session had before. */
export const textSettings = {
  names: 'set names utf8mb4 collate utf8mb4_bin',
  mode: `sql_mode = '${modes.join(',')}'`,
}

/** Variables of another owner's session that a store needs otherwise, with what it needs. */
function borrowed({ lockTimeoutMs }: ServerStoreLimits): readonly (readonly [variable: string, value: string])[] {
  return [
    ['character_set_client', 'utf8mb4'],
    ['character_set_results', 'utf8mb4'],
    ['collation_connection', 'utf8mb4_bin'],
    ['time_zone', `'+00:00'`],
    ['sql_mode', `'${modes.join(',')}'`],
    ['innodb_lock_wait_timeout', String(Math.ceil(lockTimeoutMs / 1000))],
    ['max_sort_length', '16384'],
    ['sort_buffer_size', 'greatest(@@sort_buffer_size, 2097152)'],
  ]
}

/** Statements around the use of such a session. What was there is kept in variables of it; `take` may not come twice in a row. */
export function borrowedSettings(limits: ServerStoreLimits): { readonly take: string; readonly putBack: string } {
  const all = borrowed(limits)
  const kept = all.map(([name]) => `@steward_${name} = @@${name}`)
  return {
    take: `set ${[...kept, ...all.map(([name, value]) => `${name} = ${value}`)].join(', ')}`,
    putBack: `set ${all.map(([name]) => `${name} = @steward_${name}`).join(', ')}`,
  }
}

function setUp({ lockTimeoutMs, statementTimeoutMs }: ServerStoreLimits): string[] {
  const lockSeconds = Math.ceil(lockTimeoutMs / 1000)
  return [
    textSettings.names,
    'set session transaction isolation level read committed',
    `set time_zone = '+00:00', ${textSettings.mode}, innodb_lock_wait_timeout = ${lockSeconds}`,
    // Texts are sorted by their first 4,096 characters, not 256; MySQL needs a buffer that holds some such keys.
    'set max_sort_length = 16384, sort_buffer_size = greatest(@@sort_buffer_size, 2097152)',
    ...(statementTimeoutMs > 0 ? [setStatementTimeout(statementTimeoutMs)] : []),
  ]
}

/** Where the database is, as an instance of knex shows it. */
export function placeOf({ client }: MysqlConfig): object {
  if (client.uri !== undefined) return placeInUrl(readDatabaseUrl(client.uri, form))
  const { host, port, user, database } = client
  return { host, port, user, database }
}
