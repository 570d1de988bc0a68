import type { ConnectionConfiguration } from 'tedious'
import type { MssqlConnectionOptions, MssqlStoreOptions } from './options.js'
import { readDatabaseUrl, type UrlForm } from '../../pool/database-url.js'
import { checkConnection, serverStoreLimits, type ServerStoreLimits } from '../../pool/options.js'

export interface MssqlConfig extends ServerStoreLimits {
  readonly client: ConnectionConfiguration
  /** Run on every new connection. */
  readonly setUp: string
}

/** A server that does not answer the order to end a statement is given up after this. */
const longestCancelMs = 5_000

const textOptions = 'appName database instanceName language localAddress serverName workstationId'.split(' ')

/** Those of tedious that a text can say. */
const form: UrlForm = {
  schemes: ['mssql:', 'sqlserver:'],
  path: 'database',
  defaultPort: 1433,
  needs: ['host', 'path', 'user'],
  parameters: new Set([
    ...textOptions,
    ...'abortTransactionOnError camelCaseColumns cancelTimeout connectionIsolationLevel connectionRetryInterval connectTimeout dateFormat datefirst enableAnsiNull enableAnsiNullDefault enableAnsiPadding enableAnsiWarnings enableArithAbort enableConcatNullYieldsNull enableCursorCloseOnCommit enableImplicitTransactions enableNumericRoundabort enableQuotedIdentifier encrypt fallbackToDefaultDb isolationLevel lowerCaseGuids maxRetriesOnTransientErrors multiSubnetFailover packetSize port readOnlyIntent requestTimeout rowCollectionOnDone rowCollectionOnRequestCompletion tdsVersion textsize trustServerCertificate useColumnNames useUTC'.split(
      ' ',
    ),
  ]),
  parametersAre: 'options of tedious, such as trustServerCertificate=true',
}

/** @throws TypeError for options that cannot work; no I/O. */
export function mssqlConfig(options: MssqlStoreOptions): MssqlConfig {
  const limits = serverStoreLimits(options)
  const given = checkConnection<MssqlConnectionOptions>(options, form)
  const where = typeof given === 'string' ? partsOf(given) : given
  const { server = where.host ?? 'localhost', port, user, password, database, authentication } = where
  const { statementTimeoutMs, lockTimeoutMs, pool } = limits
  const client: ConnectionConfiguration = {
    server,
    ...((authentication ?? user !== undefined)
      ? {
          authentication: (authentication as ConnectionConfiguration['authentication']) ?? {
            type: 'default',
            options: { userName: user, password },
          },
        }
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

function partsOf(text: string): MssqlConnectionOptions {
  const { host, port, user, password, path, parameters } = readDatabaseUrl(text, form)
  return {
    server: host.replace(/^\[(.*)\]$/, '$1'),
    ...(port === undefined ? {} : { port }),
    ...(user === '' ? {} : { user, password }),
    ...(path === '' ? {} : { database: path }),
    options: Object.fromEntries([...parameters].map(([name, value]) => [name, readOption(name, value)])),
  }
}

function readOption(name: string, value: string): string | number | boolean {
  if (textOptions.includes(name)) return value
  if (value === 'true' || value === 'false') return value === 'true'
  return /^\d{1,9}$/.test(value) ? Number(value) : value
}

/** Where the database is, as an instance of knex shows it. */
export function placeOf({ client: { server, options } }: MssqlConfig): object {
  return { server, port: options?.port, database: options?.database }
}
