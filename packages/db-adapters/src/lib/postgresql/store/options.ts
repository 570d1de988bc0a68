import type { ConnectionOptions } from 'node:tls'
import type { ServerStoreOptions } from '../../pool/options.js'

/** Where the server is; other options of pg's `Client` are passed on. */
export interface PostgresqlConnectionOptions {
  /** Host name, address, or folder of the Unix socket. Default: `PGHOST`, else `localhost`. */
  readonly host?: string
  /** Default: `PGPORT`, else 5432. */
  readonly port?: number
  readonly user?: string
  /** The password, or a function that is asked for it at every new connection. */
  readonly password?: string | (() => string | Promise<string>)
  readonly database?: string
  readonly ssl?: boolean | ConnectionOptions
  /** A URL instead of the above. */
  readonly connectionString?: string
}

export interface PostgresqlStoreOptions extends ServerStoreOptions {
  /**
   * A URL like `postgresql://user:password@host:5432/database`, or its parts. Required without `knex`.
   */
  readonly connection?: string | PostgresqlConnectionOptions
  /**
   * Keep prepared statements on the server. Set it to false behind a pooler that gives another server connection to each
   * transaction, such as PgBouncer; session settings that it does not track are then left alone. Default true.
   */
  readonly preparedStatements?: boolean
  /** Shared connections for reads of single rows, each with many requests under way at once. Default 2. */
  readonly sharedConnections?: number
}
