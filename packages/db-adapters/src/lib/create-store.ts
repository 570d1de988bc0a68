import { fileURLToPath } from 'node:url'
import type { ObjectStore } from '@steward/rest-core'
import type { MysqlStoreOptions } from './mysql/store/config.js'
import type { PostgresqlStoreOptions } from './postgresql/store/config.js'
import type { SqliteStoreOptions } from './sqlite/store/config.js'

/** A database by its URL, with options of the store that the URL chooses. */
export type StoreOptions = { readonly url: string } & (
  | Omit<SqliteStoreOptions, 'filename'>
  | Omit<PostgresqlStoreOptions, 'connection'>
  | Omit<MysqlStoreOptions, 'connection'>
)

type Create = (url: string, options: object) => Promise<ObjectStore>

const postgresql: Create = async (connection, options) =>
  (await import('./postgresql/store/adapter.js')).createPostgresqlStore({ ...options, connection })
const mysql: Create = async (connection, options) =>
  (await import('./mysql/store/adapter.js')).createMysqlStore({ ...options, connection })
const sqlite: Create = async (url, options) =>
  (await import('./sqlite/store/adapter.js')).createSqliteStore({ ...options, filename: filenameOf(url) })

const schemes: ReadonlyMap<string, Create> = new Map([
  ['sqlite', sqlite],
  ['file', sqlite],
  ['postgresql', postgresql],
  ['postgres', postgresql],
  ['mysql', mysql],
  ['mariadb', mysql],
])

/**
 * Makes the store for a database URL; only the code of that database is loaded. The database is reached by the store's first call.
 *
 * - `sqlite:data/app.db`, `sqlite:/var/lib/app.db`, `file:///var/lib/app.db`: an SQLite file; `sqlite::memory:` a temporary one
 * - `postgresql://user:password@host:5432/database` (also `postgres:`)
 * - `mysql://user:password@host:3306/database` (also `mariadb:`)
 *
 * @throws TypeError for a URL of another scheme and for wrong options
 *
 * @example
 * const store = await createStore('sqlite:data/catalog.db')
 */
export async function createStore(database: string | StoreOptions): Promise<ObjectStore> {
  const { url, ...options } = typeof database === 'string' ? { url: database } : database
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]
  const create = schemes.get(scheme?.toLowerCase() ?? '')
  if (!create) {
    // The rest of the URL may hold a password.
    const given = scheme === undefined ? 'it has no scheme' : `the scheme "${scheme}:" is unknown`
    throw new TypeError(
      `Cannot choose a database by its URL: ${given}. Known are ${[...schemes.keys()].map((name) => `${name}:`).join(', ')}; for a file write sqlite:<path>.`,
    )
  }
  return create(url, options)
}

function filenameOf(url: string): string {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url)
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\//, '')
  if (path === '')
    throw new TypeError(
      'The database URL names no file; write sqlite:<path>, or sqlite::memory: for a temporary database.',
    )
  return path
}
