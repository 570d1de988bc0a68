import { fileURLToPath } from 'node:url'
import type { Knex } from 'knex'
import { databaseOf, type DatabaseName } from './knex/instance.js'
import type { SqlStore } from './knex/sql-store.js'
import type { MssqlStoreOptions } from './mssql/store/options.js'
import type { MysqlStoreOptions } from './mysql/store/options.js'
import type { OracleStoreOptions } from './oracle/store/config.js'
import type { PostgresqlStoreOptions } from './postgresql/store/options.js'
import type { SqliteStoreOptions } from './sqlite/store/config.js'

type ChosenOptions =
  | Omit<SqliteStoreOptions, 'filename'>
  | Omit<PostgresqlStoreOptions, 'connection'>
  | Omit<MysqlStoreOptions, 'connection'>
  | Omit<MssqlStoreOptions, 'connection'>
  | Omit<OracleStoreOptions, 'connection'>

/** A database by its URL, with options of the store that the URL chooses. */
export type StoreOptions = { readonly url: string } & ChosenOptions

/** The application's instance of knex, with options of the store that it chooses. */
export type KnexStoreOptions = { readonly knex: Knex } & ChosenOptions

const factories: Readonly<Record<DatabaseName, (options: object) => Promise<SqlStore>>> = {
  sqlite: async (options) => (await import('./sqlite/store/adapter.js')).createSqliteStore(options),
  postgresql: async (options) => (await import('./postgresql/store/adapter.js')).createPostgresqlStore(options),
  mysql: async (options) => (await import('./mysql/store/adapter.js')).createMysqlStore(options),
  mssql: async (options) => (await import('./mssql/store/adapter.js')).createMssqlStore(options),
  oracle: async (options) => (await import('./oracle/store/adapter.js')).createOracleStore(options),
}

const schemes: ReadonlyMap<string, DatabaseName> = new Map([
  ['sqlite', 'sqlite'],
  ['file', 'sqlite'],
  ['postgresql', 'postgresql'],
  ['postgres', 'postgresql'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['mssql', 'mssql'],
  ['sqlserver', 'mssql'],
  ['oracle', 'oracle'],
])

/**
 * Makes the store for a database URL; only the code of that database is loaded. The database is reached by the store's first call.
 *
 * - `sqlite:data/app.db`, `sqlite:/var/lib/app.db`, `file:///var/lib/app.db`: an SQLite file; `sqlite::memory:` a temporary one
 * - `postgresql://user:password@host:5432/database` (also `postgres:`)
 * - `mysql://user:password@host:3306/database` (also `mariadb:`)
 * - `mssql://user:password@host:1433/database`: SQL Server, with options of tedious after `?`
 * - `oracle://user:password@host:1521/service`
 *
 * From `knex`, an instance of knex that the application has, the store takes its connections, resets their settings afterwards,
 * and leaves it open.
 *
 * @throws TypeError for a URL of another scheme, a knex instance of another database, and for wrong options
 *
 * @example
 * const store = await createStore('sqlite:data/catalog.db')
 */
export async function createStore(database: string | StoreOptions | KnexStoreOptions): Promise<SqlStore> {
  if (typeof database === 'object' && 'knex' in database)
    return factories[databaseOf((database as KnexStoreOptions).knex)](database)
  const { url, ...options } = typeof database === 'string' ? { url: database } : database
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]
  const name = schemes.get(scheme?.toLowerCase() ?? '')
  if (!name) {
    // The rest of the URL may hold a password.
    const given = scheme === undefined ? 'it has no scheme' : `the scheme "${scheme}:" is unknown`
    throw new TypeError(
      `Cannot choose a database by its URL: ${given}. Known are ${[...schemes.keys()].map((known) => `${known}:`).join(', ')}; for a file write sqlite:<path>.`,
    )
  }
  return factories[name]({ ...options, ...(name === 'sqlite' ? { filename: filenameOf(url) } : { connection: url }) })
}

function filenameOf(url: string): string {
  const form = 'write sqlite:<path>, or sqlite::memory: for a temporary database.'
  if (/^file:\/\//i.test(url)) {
    try {
      return fileURLToPath(url)
    } catch {
      throw new TypeError(
        `The database URL is no URL of a file on this machine, such as file:///var/lib/app.db; ${form}`,
      )
    }
  }
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\//, '')
  if (path === '') throw new TypeError(`The database URL names no file; ${form}`)
  return path
}
