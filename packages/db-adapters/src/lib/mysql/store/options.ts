import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { ServerStoreOptions } from '../../pool/options.js'

/** Where the server is; other options of mysql2's `createConnection` are passed on. */
export interface MysqlConnectionOptions {
  /** Host name or address. Default `localhost`. */
  readonly host?: string
  /** Default 3306. */
  readonly port?: number
  /** Unix socket instead of host and port. */
  readonly socketPath?: string
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly ssl?: Pick<TlsOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'rejectUnauthorized' | 'minVersion'>
  /** A URL instead of the above. */
  readonly uri?: string
}

export interface MysqlStoreOptions extends ServerStoreOptions {
  /**
   * A URL like `mysql://user:password@host:3306/database` (also `mariadb:`), or its parts. Required without `knex`.
   */
  readonly connection?: string | MysqlConnectionOptions
}
